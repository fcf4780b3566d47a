import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestApp, type TestApp } from '../../kit/app.ts'
import { refusal } from '../refusal.ts'
import { datasetFiles } from './dataset-files.ts'

let app: TestApp
let createTeam: ReturnType<typeof datasetFiles>['createTeam']
let ingested: ReturnType<typeof datasetFiles>['ingested']
let settled: ReturnType<typeof datasetFiles>['settled']
let statusOf: ReturnType<typeof datasetFiles>['statusOf']
let searchFor: ReturnType<typeof datasetFiles>['searchFor']
let filesOf: ReturnType<typeof datasetFiles>['filesOf']

beforeAll(async () => {
  app = await createTestApp()
  ;({ createTeam, ingested, settled, statusOf, searchFor, filesOf } = datasetFiles(app))
})

afterAll(() => app[Symbol.asyncDispose]())

const missing = { status: 404, code: 'NOT_FOUND', field: undefined }

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
