import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestApp, type Team, type TestApp } from '../../kit/app.ts'
import { changedTables, fingerprint } from '../../kit/rows.ts'
import { addKnowledge } from '../../kit/seeded-work.ts'
import { refusal } from '../refusal.ts'

let app: TestApp

beforeAll(async () => {
  app = await createTestApp()
})

afterAll(() => app[Symbol.asyncDispose]())

const missing = { status: 404, code: 'NOT_FOUND', field: undefined }

async function createTeam() {
  const team = await app.team()
  const { data } = await team.member.call('dashboard', 'GET /knowledge-base/datasets')
  const datasetId = data.find(({ name }) => name === 'Client documents')?.id ?? ''
  return { ...team, datasetId }
}

/** Uploads files and waits until their ingestion has ended. */
async function ingested(team: Team & { datasetId: string }, files: Parameters<typeof addKnowledge>[2]) {
  const { uploadedFiles } = await addKnowledge(team.member, team.datasetId, files)
  for (const { id } of uploadedFiles) await settled(id)
  return uploadedFiles.map(({ id }) => id)
}

/** Asked of the database: those who poll are limited. */
const settled = (fileId: string) =>
  app.until(async () => {
    const row = await app.db.sql.get<{ status: string }>('select status from knowledge_files where id = ?', [
      fileId,
    ])
    return row?.status === 'indexed' || row?.status === 'error'
  }, 'the ingestion has ended')

const statusOf = ({ member, datasetId }: Team & { datasetId: string }, fileId: string) =>
  member.call('dashboard', 'GET /knowledge-base/datasets/:datasetId/files/:fileId/status', {
    params: { datasetId, fileId },
  })

const searchFor = async ({ member, datasetId }: Team & { datasetId: string }, query: string) => {
  const body = { query, datasetIds: [datasetId] }
  const { results } = await member.call('dashboard', 'POST /knowledge-base/search', { body })
  return results.map(({ fileName }) => fileName)
}

const filesOf = ({ tenantId }: Team) =>
  readdir(join(app.options.dataDir, 'blobs', 'tenants', tenantId, 'knowledge')).catch(() => [] as string[])

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

describe('dashboard.knowledge_base.delete', () => {
  it('takes a file out of search at once, and removes its chunks and bytes', async () => {
    const team = await createTeam()
    const [fileId = ''] = await ingested(team, { 'oats.txt': 'Oats without sugar' })
    const params = { datasetId: team.datasetId, fileId }
    const path = 'DELETE /knowledge-base/datasets/:datasetId/files/:fileId'
    expect(await refusal((await app.team()).member.call('dashboard', path, { params }))).toEqual(missing)
    expect(await team.member.call('dashboard', path, { params })).toEqual({ deleted: true, chunksRemoved: 1 })
    expect(await searchFor(team, 'sugar')).toEqual([])
    expect(await refusal(team.member.call('dashboard', path, { params }))).toEqual(missing)
    const chunks = async () =>
      (await app.db.sql.all('select seq from knowledge_chunks where file_id = ?', [fileId])).length
    await expect.poll(chunks).toBe(0)
    await expect.poll(() => filesOf(team)).toEqual([])
  })
})

describe('dashboard.knowledge_base.change', () => {
  const path = 'PATCH /knowledge-base/datasets/:datasetId/files/:fileId'

  it('takes a file out of search and back into it without ingesting it again', async () => {
    const team = await createTeam()
    const [fileId = ''] = await ingested(team, { 'oats.txt': 'Oats without sugar' })
    const params = { datasetId: team.datasetId, fileId }
    const chunks = () => app.db.sql.all('select seq from knowledge_chunks where file_id = ?', [fileId])
    const before = await chunks()
    expect(await team.member.call('dashboard', path, { params, body: { enabled: false } })).toMatchObject({
      status: 'disabled',
      enabled: false,
    })
    expect(await searchFor(team, 'sugar')).toEqual([])
    expect(await team.member.call('dashboard', path, { params, body: { enabled: true } })).toMatchObject({
      status: 'indexed',
      enabled: true,
    })
    expect(await searchFor(team, 'sugar')).toEqual(['oats.txt'])
    expect(await chunks()).toEqual(before)
  })

  it('ingests a file again with the settings that its dataset has now', async () => {
    const team = await createTeam()
    const long = Array.from({ length: 60 }, (_, n) => `Sentence number ${n} says that oats are rolled.`).join(
      '\n\n',
    )
    const [fileId = ''] = await ingested(team, { 'oats.txt': long })
    const { chunksCount } = await statusOf(team, fileId)
    const { datasetId } = team
    await team.member.call('dashboard', 'PATCH /knowledge-base/datasets/:datasetId/config', {
      params: { datasetId },
      body: { chunkSize: 128, chunkOverlap: 0 },
    })
    expect((await statusOf(team, fileId)).chunksCount).toBe(chunksCount)
    await team.member.call('dashboard', path, { params: { datasetId, fileId }, body: { reIngest: true } })
    await settled(fileId)
    expect((await statusOf(team, fileId)).chunksCount).toBeGreaterThan(chunksCount)
  })
})

describe('dashboard.knowledge_base.progress', () => {
  it('does not find a file of another dataset or tenant', async () => {
    const team = await createTeam()
    const [fileId = ''] = await ingested(team, { 'oats.txt': 'Oats' })
    const { data } = await team.member.call('dashboard', 'GET /knowledge-base/datasets')
    const other = { ...team, datasetId: data[1]?.id ?? '' }
    expect(await refusal(statusOf(other, fileId))).toEqual(missing)
    expect(await refusal(statusOf({ ...(await createTeam()), datasetId: team.datasetId }, fileId))).toEqual(
      missing,
    )
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

describe('dashboard.knowledge_base.re_index', () => {
  it('has every file ingested again while search goes on', async () => {
    const team = await createTeam()
    const ids = await ingested(team, { 'oats.txt': 'Oats without sugar', 'rye.txt': 'Rye without sugar' })
    const params = { datasetId: team.datasetId }
    const answer = await team.member.call('dashboard', 'POST /knowledge-base/datasets/:datasetId/re-index', {
      params,
    })
    expect(answer).toEqual({ jobsQueued: 2, estimatedMinutes: 1 })
    expect((await searchFor(team, 'sugar')).toSorted()).toEqual(['oats.txt', 'rye.txt'])
    for (const id of ids) await settled(id)
    expect((await searchFor(team, 'sugar')).toSorted()).toEqual(['oats.txt', 'rye.txt'])
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
