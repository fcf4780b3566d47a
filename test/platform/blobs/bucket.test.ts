import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openBlobs } from '../../../packages/core/src/platform/blobs/open.ts'
import { placeOf, type StorageOptions } from '../../../packages/core/src/platform/blobs/place.ts'
import { createLogger } from '../../../packages/core/src/platform/logger.ts'
import { startBucket } from '../../kit/bucket-server.ts'
import { createTestClock } from '../../kit/clock.ts'

const megabyte = 1024 * 1024

async function setup() {
  const dataDir = await mkdtemp(join(tmpdir(), 'bucket-'))
  const clock = createTestClock()
  const server = await startBucket({ now: () => clock.now() })
  const lines: string[] = []
  const log = createLogger({ level: 'debug', format: 'json', stream: { write: (line) => lines.push(line) } })
  const open = (options: StorageOptions = server.options) => openBlobs(options, { dataDir, clock, log })
  const blobs = await open()
  onTestFinished(async () => {
    await blobs.close()
    await server[Symbol.asyncDispose]()
    await rm(dataDir, { recursive: true, force: true })
  })
  return { dataDir, clock, server, blobs, open, lines }
}

describe('a bucket', () => {
  it('keeps blobs below the prefix of the URL', async () => {
    const { server, blobs } = await setup()
    await blobs.put('t1/a', Buffer.from('x'))
    expect([...server.objects.keys()]).toEqual(['files/t1/a'])
  })

  it('tries again what failed for a moment, and stores it once and whole', async () => {
    const { server, blobs } = await setup()
    const bytes = randomBytes(9 * megabyte)
    server.failNext([
      { on: /uploads=/, status: 503 },
      { on: /partNumber=1/, status: 'cut' },
      { on: /partNumber=2/, status: 500 },
      { on: /POST .*uploadId/, status: 503 },
      { on: /GET .*t1\/a/, status: 'cut' },
    ])
    await blobs.put('t1/a', bytes)
    expect(bytes.equals((await blobs.get('t1/a')) ?? new Uint8Array())).toBe(true)
    expect(server.objects.size).toBe(1)
  })

  it('reports a refusal with its code and without the address or the key', async () => {
    const { server, open, blobs, lines } = await setup()
    server.failNext([{ on: /PUT/, status: 507 }])
    await expect(blobs.put('a', Buffer.from('x'))).rejects.toMatchObject({ reason: 'full' })
    const other = await open({ ...server.options, secretAccessKey: 'not-the-secret' })
    const error = await other.put('a', Buffer.from('x')).catch((fault: Error) => fault)
    expect((error as Error).message).toBe('Blob a could not be written: status 403 SignatureDoesNotMatch.')
    await other.close()
    expect(lines.join('')).not.toContain(server.options.secretAccessKey)
    expect(lines.join('')).not.toContain('Signature=')
  })

  it('follows no redirect', async () => {
    const { server, blobs } = await setup()
    server.failNext([{ on: /GET/, status: 307 }])
    await expect(blobs.get('a')).rejects.toThrow('status 307 InternalError, the bucket is in another region')
  })

  it('aborts what is left of uploads that were broken off a day ago, and no other', async () => {
    const { dataDir, server, blobs, clock } = await setup()
    const begin = (id: string, key: string, hoursAgo: number) =>
      server.uploads.set(id, { key, parts: new Map(), begunOn: new Date(clock.now() - hoursAgo * 3_600_000) })
    begin('old', 'files/t1/a', 25)
    begin('young', 'files/t1/b', 1)
    begin('foreign', 'others/a', 99)
    await blobs.withFile('none', () => Promise.resolve())
    await blobs.put('a', Buffer.from('x'))
    await blobs.withFile('a', async (path) => {
      await writeFile(join(path ?? '', '..', 'left'), '')
      await utimes(join(path ?? '', '..', 'left'), 0, 0)
    })
    expect(await blobs.tidy(new Date(clock.now() - 86_400_000))).toBe(2)
    expect([...server.uploads.keys()]).toEqual(['young', 'foreign'])
    expect(dataDir).toBeTruthy()
  })

  it('gives an address that serves one blob, by GET only and for a short time', async () => {
    const { server, blobs, clock } = await setup()
    await blobs.put('t1/a.png', Buffer.from('pixels'))
    await blobs.put('t1/b.png', Buffer.from('others'))
    const link = await blobs.link('t1/a.png', { seconds: 60, contentType: 'image/png' })
    const url = link ?? ''
    const answer = await fetch(url)
    expect([answer.status, answer.headers.get('content-type'), await answer.text()]).toEqual([
      200,
      'image/png',
      'pixels',
    ])
    const refused = async (changed: string, init?: RequestInit) => (await fetch(changed, init)).status
    expect(await refused(url.replace('a.png', 'b.png'))).toBe(403)
    expect(await refused(url.replace('Expires=60', 'Expires=3600'))).toBe(403)
    expect(await refused(url.replace('image%2Fpng', 'text%2Fhtml'))).toBe(403)
    expect(await refused(url, { method: 'PUT', body: 'x' })).toBe(403)
    clock.advance(61_000)
    expect(await refused(url)).toBe(403)
    expect(server.objects.get('files/t1/a.png')?.bytes.toString()).toBe('pixels')
  })
})

describe('placeOf', () => {
  const keys = { accessKeyId: 'AKID', secretAccessKey: 'the-secret' }
  it.each([
    [undefined, '/data/blobs'],
    ['files', '/data/files'],
    ['/srv/files', '/srv/files'],
  ])('reads %j as a folder', (url, folder) => {
    expect(placeOf({ ...(url !== undefined && { url }) }, '/data')).toEqual({ kind: 'folder', folder })
  })

  it.each([
    ['s3://media', 'https://media.s3.us-east-1.amazonaws.com', ''],
    ['s3://media/a/b/?region=eu-central-1', 'https://media.s3.eu-central-1.amazonaws.com', 'a/b/'],
    ['s3://my.media?region=eu-west-1', 'https://s3.eu-west-1.amazonaws.com/my.media', ''],
    ['s3://media/x?endpoint=http://minio:9000', 'http://minio:9000/media', 'x/'],
    ['s3://media?endpoint=https://s3.example.com/gate/&style=host', 'https://media.s3.example.com/gate', ''],
  ])('reads %s', (url, base, prefix) => {
    expect(placeOf({ url, ...keys }, '/data')).toMatchObject({ kind: 'bucket', base, prefix })
  })

  it.each([
    ['ftp://media', 'url must be a folder, or start with s3://'],
    ['s3://', 'must name a bucket'],
    ['s3://UPPER', 'is no name of one'],
    ['s3://user:word@media', 'must not contain a user'],
    ['s3://media/../x?style=bad', 'style in url must be path or host'],
    ['s3://media/.hidden', 'must have a prefix of at most'],
    ['s3://media?endpoint=file:///etc', 'endpoint in url must be a URL'],
    ['s3://media?endpoint=http://u:p@host', 'neither a user nor parameters'],
    ['s3://media?region=eu/../x', 'region in url must be'],
    ['s3://media?acl=public', 'has a parameter acl'],
  ])('refuses %s', (url, message) => {
    expect(() => placeOf({ url, ...keys }, '/data')).toThrow(message)
  })

  it('asks for both halves of the key', () => {
    expect(() => placeOf({ url: 's3://media' }, '/data')).toThrow('accessKeyId is missing')
    expect(() => placeOf({ url: 's3://media', accessKeyId: 'AKID' }, '/data')).toThrow(
      'secretAccessKey is missing',
    )
  })
})
