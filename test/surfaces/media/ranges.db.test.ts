import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestApp, type Team, type TestApp } from '../../kit/app.ts'
import { type BucketServer, startBucket } from '../../kit/bucket-server.ts'
import { videoOf } from '../../kit/pictures.ts'

const file = Buffer.concat([videoOf('isom', 900), Buffer.from(Array.from({ length: 76 }, (_, n) => n))])
const size = 1_000
const whole = [200] as const
const none = [416] as const
const part = (start: number, end: number) => [206, start, end] as const
type Expected = typeof whole | typeof none | ReturnType<typeof part>

/** What RFC 9110, section 14, says to a `Range` of a file of 1,000 bytes. */
const ranges: ReadonlyArray<readonly [range: string, expected: Expected]> = [
  ['bytes=0-0', part(0, 0)],
  ['bytes=0-1', part(0, 1)],
  ['bytes=0-99', part(0, 99)],
  ['bytes=1-1', part(1, 1)],
  ['bytes=100-199', part(100, 199)],
  ['bytes=499-500', part(499, 500)],
  ['bytes=0-999', part(0, 999)],
  ['bytes=0-1000', part(0, 999)],
  ['bytes=0-99999999999999999999', part(0, 999)],
  ['bytes=998-998', part(998, 998)],
  ['bytes=999-999', part(999, 999)],
  ['bytes=999-1000', part(999, 999)],
  ['bytes=0-', part(0, 999)],
  ['bytes=1-', part(1, 999)],
  ['bytes=500-', part(500, 999)],
  ['bytes=999-', part(999, 999)],
  ['bytes=-1', part(999, 999)],
  ['bytes=-2', part(998, 999)],
  ['bytes=-500', part(500, 999)],
  ['bytes=-999', part(1, 999)],
  ['bytes=-1000', part(0, 999)],
  ['bytes=-1001', part(0, 999)],
  ['bytes=-99999999999999999999', part(0, 999)],
  ['BYTES=0-9', part(0, 9)],
  ['Bytes=10-19', part(10, 19)],
  ['bytes= 0-9', part(0, 9)],
  ['bytes=0-9 ', part(0, 9)],
  ['bytes=00-09', part(0, 9)],
  ['bytes=1000-', none],
  ['bytes=1000-1000', none],
  ['bytes=1001-', none],
  ['bytes=5000-6000', none],
  ['bytes=99999999999999999999-', none],
  ['bytes=-0', none],
  // Syntax that is no range is ignored.
  ['bytes=', whole],
  ['bytes=-', whole],
  ['bytes', whole],
  ['bytes=a-b', whole],
  ['bytes=0', whole],
  ['bytes=9-0', whole],
  ['bytes=0--1', whole],
  ['bytes=--1', whole],
  ['bytes=0x0-0x9', whole],
  ['bytes=1.5-2', whole],
  ['bytes=0-9;', whole],
  ['bytes:0-9', whole],
  ['items=0-9', whole],
  ['0-9', whole],
  ['bytes=1e2-', whole],
  ['bytes=+1-2', whole],
  // Several ranges may be answered with the whole.
  ['bytes=0-1,4-5', whole],
  ['bytes=0-0,-1', whole],
  ['bytes=0-,0-,0-,0-', whole],
  ['bytes=,', whole],
]

describe.each(['folder', 'bucket'] as const)('media.assets.content in a %s', (kind) => {
  let app: TestApp
  let bucket: BucketServer | undefined
  let team: Team
  let assetId: string
  let etag: string

  beforeAll(async () => {
    bucket = kind === 'bucket' ? await startBucket() : undefined
    app = await createTestApp({ worker: false, ...(bucket && { storage: bucket.options }) })
    team = await app.team()
    const body = new FormData()
    body.append('file', new Blob([file]), 'film.mp4')
    const asset = await team.member.call('media', 'POST /assets', { body })
    assetId = asset.id
    etag = `"${asset.sha256}"`
  })
  afterAll(async () => {
    await app[Symbol.asyncDispose]()
    await bucket?.[Symbol.asyncDispose]()
  })

  const ask = async (headers: Record<string, string>, method = 'GET') => {
    const answer = await app.fetch(`/media/v1/assets/${assetId}/content`, {
      method,
      headers: { authorization: `Bearer ${team.adminToken}`, ...headers },
    })
    const bytes = Buffer.from(await answer.arrayBuffer())
    const header = (name: string) => answer.headers.get(name)
    return { status: answer.status, bytes, header }
  }

  it.each(ranges)('answers Range: %s', async (range, [status, start = 0, end = size - 1]) => {
    const { status: answered, bytes, header } = await ask({ range })
    expect(answered).toBe(status)
    expect(header('etag')).toBe(etag)
    expect(header('accept-ranges')).toBe('bytes')
    const expected: Record<number, [string | null, Buffer | undefined]> = {
      200: [null, file],
      206: [`bytes ${start}-${end}/${size}`, file.subarray(start, end + 1)],
      416: [`bytes */${size}`, undefined],
    }
    const [contentRange, content] = expected[status] ?? []
    expect(header('content-range')).toBe(contentRange)
    expect(header('content-length')).toBe(String(bytes.length))
    expect(content === undefined || content.equals(bytes)).toBe(true)
  })

  it('answers HEAD like GET, without the file', async () => {
    const { status, bytes, header } = await ask({}, 'HEAD')
    expect([status, bytes.length, header('content-length'), header('etag')]).toEqual([200, 0, '1000', etag])
    const partly = await ask({ range: 'bytes=0-9' }, 'HEAD')
    expect([partly.status, partly.bytes.length, partly.header('content-range')]).toEqual([
      206,
      0,
      'bytes 0-9/1000',
    ])
  })

  it('compares If-Range and If-None-Match with the entity tag', async () => {
    const statusOf = async (headers: Record<string, string>) => (await ask(headers)).status
    const range = 'bytes=0-9'
    expect(await statusOf({ range, 'if-range': etag })).toBe(206)
    expect(await statusOf({ range, 'if-range': `W/${etag}` })).toBe(200)
    expect(await statusOf({ range, 'if-range': '"another"' })).toBe(200)
    expect(await statusOf({ range, 'if-range': 'Wed, 21 Oct 2026 07:28:00 GMT' })).toBe(200)
    expect(await statusOf({ range: 'bytes=5000-', 'if-range': '"another"' })).toBe(200)
    expect(await statusOf({ 'if-none-match': etag })).toBe(304)
    expect(await statusOf({ 'if-none-match': `"another", W/${etag}` })).toBe(304)
    expect(await statusOf({ range, 'if-none-match': etag })).toBe(304)
    expect(await statusOf({ range, 'if-none-match': '"another"' })).toBe(206)
    expect((await ask({ 'if-none-match': etag })).bytes).toHaveLength(0)
  })
})
