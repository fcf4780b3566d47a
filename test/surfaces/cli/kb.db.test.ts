import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestApp, type Team, type TestApp } from '../../kit/app.ts'
import { readStream } from '../../kit/sse.ts'
import { refusal } from '../refusal.ts'

let app: TestApp

beforeAll(async () => {
  app = await createTestApp()
})

afterAll(() => app[Symbol.asyncDispose]())

/** Sends a file as the terminal does. */
function send(token: string, content: string, fields: Readonly<Record<string, string>>, name = 'oats.md') {
  const body = new FormData()
  for (const [field, value] of Object.entries(fields)) body.append(field, value)
  body.append('file', new Blob([content]), name)
  return app.fetch('/cli/v1/kb/upload', {
    method: 'POST',
    body,
    headers: { authorization: `Bearer ${token}` },
  })
}

/** The token of a reviewer of a team, as the terminal has it. */
const staffOf = (team: Team) => team.reviewerToken

describe('dm.kb.list', () => {
  it('lists the datasets of the assigned tenants with their names, or of one of them', async () => {
    const team = await app.team('Hearth & Oat')
    await app.team()
    const all = await team.reviewer.call('dm', 'GET /kb')
    expect(all.data.map(({ tenantName, name }) => `${tenantName}: ${name}`)).toEqual([
      'Hearth & Oat: Client documents',
      'Hearth & Oat: Website',
      'Hearth & Oat: Competitor research',
    ])
    const { tenantId } = team
    expect(await team.reviewer.call('dm', 'GET /kb', { query: { tenantId } })).toEqual(all)
    const other = await app.team()
    expect(
      await refusal(team.reviewer.call('dm', 'GET /kb', { query: { tenantId: other.tenantId } })),
    ).toMatchObject({ status: 403 })
  })
})

describe('cli.kb.upload', () => {
  it('tells of each stage up to the end', async () => {
    const team = await app.team()
    const told = await readStream(
      await send(staffOf(team), '# Oats\n\nWithout sugar.', { tenantId: team.tenantId }),
    )
    const { data } = await team.member.call('dashboard', 'GET /knowledge-base/datasets')
    const started = told[0]?.data
    expect(started).toEqual({ fileName: 'oats.md', fileSize: 22, datasetId: data[0]?.id })
    expect(told[1]).toMatchObject({ event: 'upload_complete', data: { status: 'pending' } })
    const ragFileId = told[1]?.data['ragFileId']
    for (const { event, data } of told.slice(2, -1)) {
      expect(event).toBe('ingestion_progress')
      expect(data).toMatchObject({ ragFileId, stage: expect.stringMatching(/^(?:parsing|embedding)$/) })
    }
    expect(told.at(-1)).toMatchObject({
      event: 'ingestion_complete',
      data: { ragFileId, chunksIndexed: 1, status: 'indexed' },
    })
  })

  it('ends with the reason when the file cannot be read, or is too large', async () => {
    const team = await app.team()
    const { tenantId } = team
    const broken = await readStream(
      await send(staffOf(team), '%PDF-1.7\nnothing', { tenantId }, 'broken.pdf'),
    )
    expect(broken.at(-1)).toMatchObject({
      event: 'ingestion_error',
      data: { ragFileId: expect.any(String), stage: 'parsing' },
    })
    const large = await readStream(await send(staffOf(team), 'x'.repeat(10 * 2 ** 20 + 1), { tenantId }))
    expect(large.map(({ event, data }) => [event, data['stage']])).toEqual([['ingestion_error', 'upload']])
  })

  it('leaves the file for later when asked to, in the dataset that is named', async () => {
    const team = await app.team()
    const fields = { tenantId: team.tenantId, parseOnUpload: 'false', datasetSlug: 'competitor-research' }
    const told = await readStream(await send(staffOf(team), 'Oats', fields))
    expect(told.map(({ event }) => event)).toEqual(['upload_started', 'upload_complete'])
    const params = { datasetId: String(told[0]?.data['datasetId']) }
    const dataset = await team.member.call('dashboard', 'GET /knowledge-base/datasets/:datasetId', { params })
    expect(dataset).toMatchObject({
      name: 'Competitor research',
      status: 'active',
      files: [{ status: 'pending' }],
    })
    await team.member.call('dashboard', 'POST /knowledge-base/datasets/:datasetId/re-index', { params })
    const begun = await team.member.call('dashboard', 'GET /knowledge-base/datasets/:datasetId', { params })
    expect([begun.status, begun.files[0]?.status]).not.toEqual(['active', 'pending'])
  })

  it('names what is wrong with a file without repeating what it is called', async () => {
    const { tenantId, reviewerToken } = await app.team()
    const answer = await send(reviewerToken, '\u0000\u0001\u0002', { tenantId }, 'program.bin')
    expect([answer.status, await answer.json()]).toMatchObject([
      400,
      { error: { message: 'It is not known what kind of file this is' } },
    ])
  })

  it('needs a tenant, and refuses one that is not assigned', async () => {
    const [team, other] = [await app.team(), await app.team()]
    expect((await send(staffOf(team), 'Oats', { tenantId: other.tenantId })).status).toBe(403)
  })
})
