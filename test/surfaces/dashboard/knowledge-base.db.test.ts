import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestApp, type Team, type TestApp } from '../../kit/app.ts'
import { changedTables, fingerprint } from '../../kit/rows.ts'
import { addKnowledge } from '../../kit/seeded-settings.ts'
import { refusal } from '../refusal.ts'
import { datasetFiles } from './dataset-files.ts'

let app: TestApp
let createTeam: ReturnType<typeof datasetFiles>['createTeam']
let ingested: ReturnType<typeof datasetFiles>['ingested']
let statusOf: ReturnType<typeof datasetFiles>['statusOf']
let searchFor: ReturnType<typeof datasetFiles>['searchFor']
let filesOf: ReturnType<typeof datasetFiles>['filesOf']

beforeAll(async () => {
  app = await createTestApp()
  ;({ createTeam, ingested, statusOf, searchFor, filesOf } = datasetFiles(app))
})

afterAll(() => app[Symbol.asyncDispose]())

const missing = { status: 404, code: 'NOT_FOUND', field: undefined }

describe('dashboard.knowledge_base.list', () => {
  it('shows the datasets that every tenant has from the start, open to all of its agents', async () => {
    const { member } = await app.team()
    const { data } = await member.call('dashboard', 'GET /knowledge-base/datasets')
    expect(data.map(({ name }) => name)).toEqual(['Client documents', 'Website', 'Competitor research'])
    for (const each of data)
      expect(each).toMatchObject({ status: 'active', totalFiles: 0, totalChunks: 0, embeddingModel: null })
    expect(data[0]?.allowedAgentRoles).toContain('blog_writer')
  })
})

describe('dashboard.knowledge_base.get', () => {
  it('shows the settings and the files of a dataset; another tenant’s is not found', async () => {
    const team = await createTeam()
    await ingested(team, { 'oats.md': '# Morning Oats\n\nRolled oats with hazelnuts.' })
    const params = { datasetId: team.datasetId }
    const detail = await team.member.call('dashboard', 'GET /knowledge-base/datasets/:datasetId', { params })
    expect(detail).toMatchObject({
      totalFiles: 1,
      totalChunks: 1,
      chunkSize: 512,
      chunkOverlap: 64,
      parseType: 'MARKDOWN',
      parserEngine: 'NATIVE',
      embeddingProvider: null,
      vectorSize: null,
      files: [
        {
          fileName: 'oats.md',
          mimeType: 'text/markdown',
          status: 'indexed',
          chunksCount: 1,
          source: 'upload',
          enabled: true,
          errorMessage: null,
        },
      ],
    })
    const other = await app.team()
    expect(
      await refusal(other.member.call('dashboard', 'GET /knowledge-base/datasets/:datasetId', { params })),
    ).toEqual(missing)
  })
})

describe('dashboard.knowledge_base.upload', () => {
  it('ingests what it can read, and says why it cannot read the rest', async () => {
    const team = await createTeam()
    const [oats, broken] = await ingested(team, {
      'oats.txt': 'Morning Oats have no added sugar.',
      'broken.pdf': '%PDF-1.7\nnothing that a reader could use',
    })
    expect(await statusOf(team, oats ?? '')).toMatchObject({
      status: 'indexed',
      progress: 100,
      chunksCount: 1,
      errorMessage: null,
    })
    const failed = await statusOf(team, broken ?? '')
    expect(failed).toMatchObject({ status: 'error', chunksCount: 0 })
    expect(failed.errorMessage).toMatch(/^This file is damaged/)
    expect(await searchFor(team, 'sugar')).toEqual(['oats.txt'])
  })

  it('refuses all files for one of an unknown kind, and stores nothing', async () => {
    const team = await createTeam()
    const before = await fingerprint(app.db)
    const files = {
      'oats.txt': 'Oats',
      'logo.png': new Uint8Array([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, 0, 0, 0, 13]),
    }
    const answer = await addKnowledge(team.member, team.datasetId, files).catch((error: unknown) => error)
    expect(answer).toMatchObject({
      status: 400,
      code: 'VALIDATION_ERROR',
      field: 'files',
      message: expect.stringContaining('logo.png'),
    })
    expect(changedTables(before, await fingerprint(app.db))).toEqual([])
    expect(await filesOf(team)).toEqual([])
  })

  it('refuses an overlap that is not less than the chunk size, and a dataset of another tenant', async () => {
    const team = await createTeam()
    const body = new FormData()
    body.append('chunkSize', '128')
    body.append('chunkOverlap', '128')
    body.append('files', new Blob(['Oats']), 'oats.txt')
    const upload = (by: Team) =>
      refusal(
        by.member.call('dashboard', 'POST /knowledge-base/datasets/:datasetId/files/upload', {
          params: { datasetId: team.datasetId },
          body,
        }),
      )
    expect(await upload(team)).toEqual({ status: 400, code: 'VALIDATION_ERROR', field: 'chunkOverlap' })
    expect(await upload(await app.team())).toEqual(missing)
  })
})

describe('dashboard.knowledge_base.configure', () => {
  it('changes a dataset, and refuses an overlap that does not fit the size it has', async () => {
    const { member, datasetId } = await createTeam()
    const configure = (body: object) =>
      member.call('dashboard', 'PATCH /knowledge-base/datasets/:datasetId/config', {
        params: { datasetId },
        body,
      })
    expect(
      await configure({ name: 'Papers', allowedAgentRoles: ['blog_writer'], chunkSize: 256 }),
    ).toMatchObject({
      name: 'Papers',
      allowedAgentRoles: ['blog_writer'],
      chunkSize: 256,
      chunkOverlap: 64,
    })
    expect(await refusal(configure({ chunkOverlap: 256 }))).toEqual({
      status: 400,
      code: 'VALIDATION_ERROR',
      field: 'chunkOverlap',
    })
  })
})

describe('dashboard.knowledge_base.search', () => {
  it('shows what it has found with its place, and nothing of other tenants', async () => {
    const team = await createTeam()
    await ingested(team, {
      'oats.md': '# Morning Oats\n\nRolled oats with hazelnuts.\n\n# Rye\n\nBaked overnight.',
    })
    const body = { query: 'hazelnut', datasetIds: [team.datasetId] }
    const { results } = await team.member.call('dashboard', 'POST /knowledge-base/search', { body })
    expect(results).toEqual([
      {
        chunkId: expect.any(String),
        fileId: expect.any(String),
        fileName: 'oats.md',
        datasetId: team.datasetId,
        content: expect.stringContaining('hazelnuts'),
        score: expect.any(Number),
        rankSource: 'keyword',
        metadata: { heading: 'Morning Oats' },
      },
    ])
    const other = await app.team()
    expect(await refusal(other.member.call('dashboard', 'POST /knowledge-base/search', { body }))).toEqual(
      missing,
    )
  })
})
