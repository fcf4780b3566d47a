import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, request as send } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { openBlobs } from '../../packages/core/src/platform/blobs/open.ts'
import type { StorageOptions } from '../../packages/core/src/platform/blobs/place.ts'
import { silentLogger } from '../../packages/core/src/platform/logger.ts'
import { startBucket } from '../kit/bucket-server.ts'
import { createTestClock } from '../kit/clock.ts'
import { fetchVendors } from '../kit/vendors.ts'
import { verifyByAws } from './aws-signer.ts'

beforeAll(fetchVendors, 300_000)

async function setup() {
  const clock = createTestClock()
  const bucket = await startBucket({ now: () => clock.now(), verify: verifyByAws })
  const dataDir = await mkdtemp(join(tmpdir(), 'signed-'))
  const open = async (options: StorageOptions = bucket.options) => {
    const blobs = await openBlobs(options, { dataDir, clock, log: silentLogger })
    onTestFinished(() => blobs.close())
    return blobs
  }
  onTestFinished(async () => {
    await bucket[Symbol.asyncDispose]()
    await rm(dataDir, { recursive: true, force: true })
  })
  return { bucket, clock, open }
}

type Change = (request: { method: string; path: string; headers: Record<string, string> }) => void

/** Stands before a bucket and changes requests on their way, after they were signed. @returns its address */
async function changing(endpoint: string, change: Change): Promise<string> {
  const server = createServer((from: IncomingMessage, response) => {
    const { method = '', url = '', headers } = from
    const changed = { method, path: url, headers: { ...headers } as Record<string, string> }
    change(changed)
    const onward = send(endpoint, changed, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    })
    from.pipe(onward)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

describe('requests to a bucket, by AWS’s own signer', () => {
  it('are signed as they must be: files whole and in parts, lists, reads and addresses', async () => {
    const { bucket, open } = await setup()
    const blobs = await open()
    const bytes = randomBytes(9 * 1024 * 1024)
    await blobs.put('t1/a-b_c.1', Buffer.from('x'))
    await blobs.put('t1/long', bytes)
    expect(bytes.equals((await blobs.get('t1/long')) ?? Buffer.alloc(0))).toBe(true)
    const part = await blobs.stream('t1/long', { start: 5, end: 9 })
    expect(Buffer.from(await new Response(part).arrayBuffer())).toEqual(bytes.subarray(5, 10))
    const keys: string[] = []
    for await (const { key } of blobs.list('t1')) keys.push(key)
    expect(keys).toEqual(['t1/a-b_c.1', 't1/long'])
    await blobs.tidy(new Date(0))
    await blobs.check()
    const link = await blobs.link('t1/a-b_c.1', { seconds: 60, contentType: 'image/png; charset=a+b' })
    const answer = await fetch(link ?? '')
    expect([answer.status, await answer.text()]).toEqual([200, 'x'])
    expect(answer.headers.get('content-type')).toBe('image/png; charset=a+b')
    expect(await blobs.remove('t1/a-b_c.1')).toBe(true)
    expect(bucket.refusals).toEqual([])
  })

  it('are refused with another secret, and with a path, a query, a header or a body that was changed', async () => {
    const { bucket, open } = await setup()
    const put = async (options: StorageOptions) => {
      const blobs = await open(options)
      const key = `t1/${bucket.refusals.length}`
      await blobs.put(key, Buffer.from('x')).catch(() => undefined)
      await blobs.list('t1')[Symbol.asyncIterator]().next()
    }
    await expect(put({ ...bucket.options, secretAccessKey: 'another' })).rejects.toThrow(
      'SignatureDoesNotMatch',
    )
    const through = async (change: Change) => {
      const before = bucket.refusals.length
      const url = bucket.options.url.replace(bucket.endpoint, await changing(bucket.endpoint, change))
      await put({ ...bucket.options, url }).catch(() => undefined)
      return bucket.refusals.slice(before)
    }
    const refused = ['SignatureDoesNotMatch', 'SignatureDoesNotMatch']
    expect(
      await through((request) => (request.path = request.path.replace('/copydesk-test', '/copydesk-tes'))),
    ).toEqual(refused)
    expect(
      await through((request) => (request.path += request.path.includes('?') ? '&a=b' : '?a=b')),
    ).toEqual(refused)
    expect(await through((request) => (request.headers['host'] = 'another.example'))).toEqual(refused)
    const later = (date = '') => date.replace(/\d\dZ$/, (seconds) => (seconds === '00Z' ? '01Z' : '00Z'))
    expect(await through(({ headers }) => (headers['x-amz-date'] = later(headers['x-amz-date'])))).toEqual(
      refused,
    )
    const otherHash = 'a'.repeat(64)
    expect(await through(({ headers }) => (headers['x-amz-content-sha256'] = otherHash))).toEqual(refused)
    expect(await through((request) => (request.method = 'POST'))).toContain('SignatureDoesNotMatch')
    expect(bucket.objects.size).toBe(0)
    expect(await through(() => undefined)).toEqual([])
    expect(bucket.objects.size).toBe(1)
  })

  it('of an address are refused when it was changed, and when its time is over', async () => {
    const { bucket, clock, open } = await setup()
    const blobs = await open()
    for (const key of ['t1/a', 't1/b']) await blobs.put(key, Buffer.from('x'))
    const link = (await blobs.link('t1/a', { seconds: 60, contentType: 'image/png' })) ?? ''
    const status = async (url: string) => (await fetch(url)).status
    expect(await status(link)).toBe(200)
    expect(await status(link.replace('t1/a', 't1/b'))).toBe(403)
    expect(await status(link.replace('X-Amz-Expires=60', 'X-Amz-Expires=6000'))).toBe(403)
    expect(await status(link.replace('image%2Fpng', 'text%2Fhtml'))).toBe(403)
    expect(await status(`${link}&a=b`)).toBe(403)
    expect(bucket.refusals).toEqual(Array(4).fill('SignatureDoesNotMatch'))
    const other = await open({ ...bucket.options, secretAccessKey: 'another' })
    expect(await status((await other.link('t1/a', { seconds: 60, contentType: 'image/png' })) ?? '')).toBe(
      403,
    )
    clock.advance(59_000)
    expect(await status(link)).toBe(200)
    clock.advance(2_000)
    expect(await status(link)).toBe(403)
    expect(bucket.refusals.at(-1)).toBe('AccessDenied')
  })
})
