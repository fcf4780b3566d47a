import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestApp, type TestApp } from '../../kit/app.ts'
import { datasetOf } from '../../kit/knowledge.ts'
import { addKnowledge } from '../../kit/seeded-settings.ts'
import { refusal } from '../refusal.ts'
import { datasetFiles } from './dataset-files.ts'

let app: TestApp

beforeAll(async () => {
  app = await createTestApp({ worker: false })
})

afterAll(() => app[Symbol.asyncDispose]())

const boundary = 'knowledge-limits'
const megabyte = Buffer.alloc(2 ** 20, 'Oats and rye. ')

/** A form with files of so many megabytes, made while it is read: no more of it is ever in memory than is under way. */
function* formOf(sizes: readonly number[]): Generator<Buffer> {
  for (const [n, size] of sizes.entries()) {
    yield Buffer.from(
      `--${boundary}\r\ncontent-disposition: form-data; name="files"; filename="${n}.txt"\r\ncontent-type: text/plain\r\n\r\n`,
    )
    for (let sent = 0; sent < size; sent += 1) yield megabyte
    yield Buffer.from('\r\n')
  }
  yield Buffer.from(`--${boundary}--\r\n`)
}

/** Uploads such a form as the admin of a team. @returns the answer, and how many megabytes of the form were asked for */
async function send(team: { adminToken: string }, datasetId: string, sizes: readonly number[]) {
  const parts = formOf(sizes)
  let bytes = 0
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const { value, done } = parts.next()
      if (done) return controller.close()
      bytes += value.byteLength
      controller.enqueue(value)
    },
  })
  const init: RequestInit & { duplex: 'half' } = {
    method: 'POST',
    headers: {
      authorization: `Bearer ${team.adminToken}`,
      'content-type': `multipart/form-data; boundary=${boundary}`,
    },
    body,
    duplex: 'half',
  }
  const response = await app.fetch(`/dashboard/v1/knowledge-base/datasets/${datasetId}/files/upload`, init)
  const json = (await response.json()) as { error?: { code: string; field?: string; message: string } }
  return { status: response.status, error: json.error, megabytes: Math.ceil(bytes / 2 ** 20) }
}

const kept = async (team: Parameters<ReturnType<typeof datasetFiles>['filesOf']>[0]) => ({
  blobs: await datasetFiles(app).filesOf(team),
  rows: await app.db.sql.all('select id from knowledge_files where tenant_id = ?', [team.tenantId]),
})
const nothing = { blobs: [], rows: [] }

describe('dashboard.knowledge_base.upload', () => {
  it('takes 20 files at a time, and of 21 none', async () => {
    const team = await app.team()
    const datasetId = await datasetOf(team)
    const files = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, n) => [`${n}.txt`, `Oats ${n}`]))
    expect(await refusal(addKnowledge(team.member, datasetId, files(21)))).toEqual({
      status: 413,
      code: 'PAYLOAD_TOO_LARGE',
      field: 'files',
    })
    expect(await kept(team)).toEqual(nothing)
    const { uploadedFiles } = await addKnowledge(team.member, datasetId, files(20))
    expect(uploadedFiles).toHaveLength(20)
    expect((await kept(team)).blobs).toHaveLength(20)
  })

  it('refuses files of more than 200 MB together before it has read the rest, and keeps none of them', async () => {
    const team = await app.team()
    const answer = await send(team, await datasetOf(team), [41, 41, 41, 41, 41, 41, 41])
    expect(answer).toMatchObject({ status: 413, error: { code: 'PAYLOAD_TOO_LARGE', field: 'files' } })
    expect(answer.megabytes).toBeLessThan(7 * 41)
    expect(await kept(team)).toEqual(nothing)
  })

  it('refuses a file of more than 50 MB by its name, and those beside it', async () => {
    const team = await app.team()
    const answer = await send(team, await datasetOf(team), [1, 51])
    expect(answer).toMatchObject({
      status: 400,
      error: { code: 'VALIDATION_ERROR', field: 'files', message: '1.txt: The file is larger than 50 MB' },
    })
    expect(await kept(team)).toEqual(nothing)
  })
})
