import { describe, expect, it } from 'vitest'
import { startEmbeddings } from '../kit/embedding-server.ts'
import { addDocuments, datasetOf } from '../kit/knowledge.ts'
import { loggedIn } from './kb-staff.ts'
import { createStaff } from './staff.ts'

interface Found {
  results: Array<{ fileName: string; score: number; rankSource: string }>
}

/** Staff of a server with embeddings, whose documents have words and vectors in common with queries. */
async function createRig() {
  const server = await startEmbeddings()
  const staff = await createStaff({
    embeddings: { provider: 'custom', model: 'm', baseUrl: server.url },
    allowHosts: [new URL(server.url).host],
  })
  const { app, team } = staff.harness
  await addDocuments(app, team, {
    'rye.md': 'The rye loaf rests twelve hours before it is baked in the oven of stone.',
    'oats.md': 'Rye and oats are sown in Thuringia without sugar.',
  })
  const datasetId = await datasetOf(team)
  return {
    staff,
    /** What the server answers, weighed as it is said or else as the server does by itself. */
    asked: (query: string, hybridAlpha?: number): Promise<Found> =>
      team.reviewer.call('tenant', 'POST /knowledge/search', {
        headers: { 'x-tenant-id': team.tenantId },
        body: { query, datasetIds: [datasetId], ...(hybridAlpha !== undefined && { hybridAlpha }) },
      }),
    async [Symbol.asyncDispose]() {
      await staff[Symbol.asyncDispose]()
      await server[Symbol.asyncDispose]()
    },
  }
}

const scoresOf = ({ results }: Found) => results.map(({ fileName, score }) => [fileName, score])

describe('copydesk kb search with embeddings', () => {
  it('weighs words and meaning as the server does, unless it is told to go by one of them', async () => {
    await using rig = await createRig()
    const login = await loggedIn(rig.staff)
    const search = (...way: string[]) =>
      rig.staff.json<Found>(['kb', 'search', 'rye loaf', '--dataset', 'client-documents', ...way], login)
    const [own, words, meaning] = [
      await rig.asked('rye loaf'),
      await rig.asked('rye loaf', 0),
      await rig.asked('rye loaf', 1),
    ]
    expect(own.results.map(({ rankSource }) => rankSource)).toEqual(['hybrid', 'hybrid'])
    // The three ways can be told apart.
    expect(new Set([own, words, meaning].map((found) => JSON.stringify(scoresOf(found)))).size).toBe(3)
    expect(scoresOf(await search())).toEqual(scoresOf(own))
    expect(scoresOf(await search('--words'))).toEqual(scoresOf(words))
    expect(scoresOf(await search('--meaning'))).toEqual(scoresOf(meaning))
  })
})
