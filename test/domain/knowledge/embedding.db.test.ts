import { describe, expect, it } from 'vitest'
import { KnowledgeSearch } from '../../../packages/core/src/domain/knowledge/search/schemas.ts'
import { searchKnowledge } from '../../../packages/core/src/domain/knowledge/search/search.ts'
import { createTestApp, type Team } from '../../kit/app.ts'
import { type EmbeddingServer, startEmbeddings, vectorOf } from '../../kit/embedding-server.ts'
import { datasetOf } from '../../kit/knowledge.ts'
import { addKnowledge } from '../../kit/seeded-settings.ts'
import { parts } from '../agents.ts'

/** A file of more chunks than are embedded and stored at a time, each of them another one. */
const long = Array.from({ length: 150 }, (_, n) => `# Part ${n}\n\n${'Oats and rye. '.repeat(100)}`).join(
  '\n\n',
)
const atATime = 64

const textsOf = (calls: EmbeddingServer['calls']) => calls.flatMap(({ body }) => body.input)

/** An instance with embeddings, a team, and what it does with one of its datasets. */
async function createRig(reply?: Parameters<typeof startEmbeddings>[0]) {
  const server = await startEmbeddings(reply)
  const app = await createTestApp({
    embeddings: { provider: 'custom', model: 'm', baseUrl: server.url },
    allowHosts: [new URL(server.url).host],
  })
  const team: Team = await app.team()
  const datasetId = await datasetOf(team)
  const params = { datasetId }
  const stateOf = (id: string) =>
    app.db.sql.get<{ status: string; reason: string | null; chunks: number }>(
      'select status, error_message as "reason", chunks_count as "chunks" from knowledge_files where id = ?',
      [id],
    )
  const isAtWork = async () =>
    (await app.db.sql.get(
      "select 1 as one from job where kind = 'knowledge.ingest' and status in ('waiting', 'running')",
    )) !== undefined
  return {
    app,
    server,
    team,
    datasetId,
    stateOf,
    isAtWork,
    async upload(text: string): Promise<string> {
      const { uploadedFiles } = await addKnowledge(team.member, datasetId, { 'oats.md': text })
      return uploadedFiles[0]?.id ?? ''
    },
    /** Waits until nothing is ingested any more. */
    async settled(id: string) {
      await app.until(async () => !(await isAtWork()), 'nothing is ingested any more')
      return stateOf(id)
    },
    reindex: () =>
      team.member.call('dashboard', 'POST /knowledge-base/datasets/:datasetId/re-index', { params }),
    async [Symbol.asyncDispose]() {
      await app[Symbol.asyncDispose]()
      await server[Symbol.asyncDispose]()
    },
  }
}

describe('the ingestion of files with embeddings', () => {
  it('embeds a text that has not changed no second time', async () => {
    await using rig = await createRig()
    const id = await rig.upload('# Oats\n\nRolled oats with hazelnuts.')
    expect(await rig.settled(id)).toMatchObject({ status: 'indexed' })
    expect(textsOf(rig.server.calls)).toHaveLength(1)
    expect(await rig.reindex()).toMatchObject({ jobsQueued: 1 })
    expect(await rig.settled(id)).toMatchObject({ status: 'indexed' })
    expect(textsOf(rig.server.calls)).toHaveLength(1)
  })

  it('ends with a reason where a model answers with other dimensions in the middle', async () => {
    await using rig = await createRig(({ body }, index) => ({
      vectors: body.input.map((text) => vectorOf(text, index === 0 ? 64 : 32)),
    }))
    const end = await rig.settled(await rig.upload(long))
    expect(end).toMatchObject({ status: 'error' })
    expect(end?.reason).toMatch(/could not be embedded: .* dimensions, not .* as before: .* index again/)
  })

  it('embeds only what is missing after a fault in the middle', async () => {
    let away = true
    await using rig = await createRig((_, index) => (away && index >= atATime / 16 ? { status: 401 } : {}))
    const id = await rig.upload(long)
    expect(await rig.settled(id)).toMatchObject({
      status: 'error',
      reason: expect.stringContaining('credentials'),
    })
    away = false
    const before = rig.server.calls.length
    await rig.reindex()
    const end = await rig.settled(id)
    expect(end).toMatchObject({ status: 'indexed', reason: null })
    expect(textsOf(rig.server.calls.slice(before))).toHaveLength((end?.chunks ?? 0) - atATime)
  })

  it('leaves search neither empty nor without vectors while files are ingested again', async () => {
    await using rig = await createRig()
    const ids = [await rig.upload('Rolled oats'), await rig.upload('Oats with rye')]
    for (const id of ids) expect(await rig.settled(id)).toMatchObject({ status: 'indexed' })
    await using inside = await parts(rig.app)
    const ctx = inside.adminOf(rig.team.tenantId)
    await rig.reindex()
    let searches = 0
    let isLast = false
    while (!isLast) {
      isLast = !(await rig.isAtWork())
      const query = KnowledgeSearch.parse({ query: 'oats', datasetIds: [rig.datasetId], hybridAlpha: 1 })
      const { results } = await searchKnowledge(ctx, query)
      expect(results.map(({ fileId }) => fileId).toSorted()).toEqual(ids)
      expect(new Set(results.map(({ rankSource }) => rankSource))).toEqual(new Set(['vector']))
      searches += 1
    }
    expect(searches).toBeGreaterThan(0)
  })

  it('is done once more where settings change in the middle, and leaves one index', async () => {
    const gate = Promise.withResolvers<void>()
    await using rig = await createRig(async () => {
      await gate.promise
      return {}
    })
    const id = await rig.upload(long)
    await expect.poll(() => rig.stateOf(id)).toMatchObject({ status: 'embedding' })
    await rig.team.member.call('dashboard', 'PATCH /knowledge-base/datasets/:datasetId/config', {
      params: { datasetId: rig.datasetId },
      body: { chunkSize: 128, chunkOverlap: 0 },
    })
    const asked = await Promise.all([rig.reindex(), rig.reindex()])
    expect(asked).toMatchObject([{ jobsQueued: 1 }, { jobsQueued: 1 }])
    gate.resolve()
    const end = await rig.settled(id)
    expect(end).toMatchObject({ status: 'indexed', reason: null })
    const chunks = () =>
      rig.app.db.sql.all<{ ordinal: number; length: number }>(
        'select ordinal, length(text) as "length" from knowledge_chunks where file_id = ? order by ordinal',
        [id],
      )
    await expect.poll(async () => (await chunks()).length).toBe(end?.chunks)
    expect((await chunks()).map(({ ordinal }) => ordinal)).toEqual([...Array(end?.chunks ?? 0).keys()])
    expect(Math.max(...(await chunks()).map(({ length }) => length))).toBeLessThanOrEqual(128 * 4)
  })
})
