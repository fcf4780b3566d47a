import { createHash, randomBytes } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { Blobs } from '../../../packages/core/src/platform/blobs/blobs.ts'
import { openBlobs } from '../../../packages/core/src/platform/blobs/open.ts'
import type { StorageOptions } from '../../../packages/core/src/platform/blobs/place.ts'
import { createSystemClock } from '../../../packages/core/src/platform/clock.ts'
import { type BucketServer, startBucket } from '../../kit/bucket-server.ts'
import { silent } from '../../kit/database.ts'

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')
const megabyte = 1024 * 1024

async function filesIn(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true }).catch(() => [])
  return entries.filter((entry) => entry.isFile()).map((entry) => entry.name)
}

async function keysOf(blobs: Blobs, prefix?: string): Promise<string[]> {
  const keys: string[] = []
  for await (const { key } of blobs.list(prefix)) keys.push(key)
  return keys.toSorted()
}

const badKeys = [
  '',
  '.',
  '..',
  '../a',
  'a/../../b',
  'a/..',
  '/etc/passwd',
  'a//b',
  'a/',
  'a\\..\\b',
  'a\0b',
  'a\nb',
  '.tmp-x',
  'a/.hidden',
  'C:/x',
  'ü',
  '%2e%2e/a',
  'a'.repeat(300),
  `${'a/'.repeat(300)}a`,
]

describe.each(['folder', 'bucket'] as const)('blobs in a %s', (kind) => {
  let parent: string
  let server: BucketServer | undefined
  let blobs: Blobs
  const opened: Blobs[] = []
  const open = async (options: StorageOptions) => {
    const store = await openBlobs(options, {
      dataDir: join(parent, 'data'),
      clock: createSystemClock(),
      log: silent,
    })
    opened.push(store)
    return store
  }

  beforeAll(async () => {
    parent = await mkdtemp(join(tmpdir(), 'blobs-'))
    server = kind === 'bucket' ? await startBucket({ pageSize: 3 }) : undefined
    blobs = await open(server?.options ?? {})
  })
  afterEach(async () => {
    for (const key of await keysOf(blobs)) await blobs.remove(key)
    // Every request was signed as the bucket demands, and nothing is left behind.
    const left = [
      ...(server?.refusals.splice(0) ?? []).filter((code) => code !== 'NoSuchKey'),
      ...(server?.uploads.keys() ?? []),
      ...(await filesIn(join(parent, 'data', 'temporary'))),
    ]
    if (left.length > 0) throw new Error(`Left behind or refused: ${left.join(', ')}`)
  })
  afterAll(async () => {
    for (const store of opened) await store.close()
    await server?.[Symbol.asyncDispose]()
    await rm(parent, { recursive: true, force: true })
  })

  it('stores bytes exactly and returns their size and hash', async () => {
    for (const size of [0, 1, 100_000, 8 * megabyte, 8 * megabyte + 1, 17 * megabyte]) {
      const bytes = randomBytes(size)
      expect(await blobs.put('t1/files/a.bin', bytes)).toEqual({ size, sha256: sha256(bytes) })
      const read = await blobs.get('t1/files/a.bin')
      expect(read?.byteLength).toBe(size)
      expect(sha256(read ?? new Uint8Array())).toBe(sha256(bytes))
    }
  })

  it('accepts Node streams and web streams, in pieces of any size', async () => {
    const parts = [randomBytes(70_000), randomBytes(3), randomBytes(9 * megabyte), new Uint8Array()]
    const whole = Buffer.concat(parts)
    const expected = { size: whole.length, sha256: sha256(whole) }
    expect(await blobs.put('node', Readable.from(parts))).toEqual(expected)
    expect(
      await blobs.put('web', Readable.toWeb(Readable.from(parts)) as ReadableStream<Uint8Array>),
    ).toEqual(expected)
    expect(sha256((await blobs.get('web')) ?? new Uint8Array())).toBe(expected.sha256)
  })

  it('copies a file that lies on this machine, and leaves it where it is', async () => {
    const bytes = randomBytes(9 * megabyte)
    const path = join(parent, 'uploaded')
    await writeFile(path, bytes)
    const expected = { size: bytes.length, sha256: sha256(bytes) }
    expect(await blobs.put('copy', { path, ...expected })).toEqual(expected)
    expect(sha256((await blobs.get('copy')) ?? new Uint8Array())).toBe(expected.sha256)
    expect((await readFile(path)).equals(bytes)).toBe(true)
    await rm(path)
    await expect(blobs.put('copy', { path, ...expected })).rejects.toThrow(/ENOENT|could not be/)
    expect(await keysOf(blobs)).toEqual(['copy'])
  })

  it('streams a blob or a part of it, also an empty one', async () => {
    const bytes = randomBytes(200_000)
    await blobs.put('a', bytes)
    await blobs.put('empty', new Uint8Array())
    const read = async (key: string, range?: { start: number; end: number }) =>
      Buffer.from(await new Response(await blobs.stream(key, range)).arrayBuffer())
    expect((await read('a')).equals(bytes)).toBe(true)
    for (const [start, end] of [
      [0, 0],
      [0, 99_999],
      [199_999, 199_999],
      [70_000, 199_999],
    ] as const)
      expect((await read('a', { start, end })).equals(bytes.subarray(start, end + 1))).toBe(true)
    expect(await read('empty')).toHaveLength(0)
  })

  it('gives a file with the bytes for as long as it is read, and none where there is no blob', async () => {
    await blobs.put('t1/a', Buffer.from('oats'))
    expect(await blobs.withFile('t1/a', (path) => readFile(path ?? '', 'utf8'))).toBe('oats')
    for (const absent of ['t1/b', 't1/a/b'])
      expect(await blobs.withFile(absent, (path) => Promise.resolve(path))).toBeUndefined()
    const broken = new Error('no such page')
    await expect(blobs.withFile('t1/a', () => Promise.reject(broken))).rejects.toBe(broken)
    const texts = Array.from({ length: 9 }, () =>
      blobs.withFile('t1/a', (path) => readFile(path ?? '', 'utf8')),
    )
    expect(new Set(await Promise.all(texts))).toEqual(new Set(['oats']))
  })

  it('returns nothing for an unknown key, a prefix and a path below a blob', async () => {
    await blobs.put('t1/a', Buffer.from('x'))
    for (const key of ['t2/a', 't1', 't1/a/b']) {
      expect(await blobs.get(key), key).toBeUndefined()
      expect(await blobs.stream(key), key).toBeUndefined()
      expect(await blobs.stream(key, { start: 0, end: 1 }), key).toBeUndefined()
    }
  })

  it('deletes a blob, and returns whether it existed', async () => {
    await blobs.put('t1/a', Buffer.from('x'))
    expect(await blobs.remove('t1/a')).toBe(true)
    expect(await blobs.remove('t1/a')).toBe(false)
    expect(await blobs.get('t1/a')).toBeUndefined()
  })

  it('lists all blobs, and those below whole segments', async () => {
    const keys = ['t1/a', 't1/b/c', 't1/b/d', 't10/a', 't2/a', 'x', 'y']
    for (const key of keys) await blobs.put(key, Buffer.from(key))
    expect(await keysOf(blobs)).toEqual(keys)
    expect(await keysOf(blobs, 't1')).toEqual(['t1/a', 't1/b/c', 't1/b/d'])
    expect(await keysOf(blobs, 't3')).toEqual([])
    for await (const { key, size, writtenOn } of blobs.list('t2')) {
      expect({ key, size }).toEqual({ key: 't2/a', size: 4 })
      expect(Math.abs(writtenOn.getTime() - Date.now())).toBeLessThan(600_000)
    }
  })

  it.each(badKeys)('rejects the key %j and changes nothing', async (key) => {
    await writeFile(join(parent, 'b'), 'outside')
    const calls = [
      blobs.put(key, Buffer.from('x')),
      blobs.get(key),
      blobs.stream(key),
      blobs.remove(key),
      blobs.withFile(key, () => Promise.resolve()),
    ]
    for (const result of await Promise.allSettled(calls))
      expect(result).toMatchObject({ status: 'rejected', reason: { name: 'BlobError', reason: 'bad_key' } })
    expect(await keysOf(blobs)).toEqual([])
    expect(await readFile(join(parent, 'b'), 'utf8')).toBe('outside')
  })

  it.each([100_000, 9 * megabyte])(
    'keeps the old blob when the source fails after %i bytes, and passes its error on',
    async (size) => {
      await blobs.put('t1/a', Buffer.from('old'))
      const broken = Object.assign(new Error('connection reset'), { code: 'ECONNRESET', syscall: 'read' })
      async function* source() {
        yield randomBytes(size)
        throw broken
      }
      await expect(blobs.put('t1/a', source())).rejects.toBe(broken)
      expect(String(await blobs.get('t1/a'))).toBe('old')
      expect(await keysOf(blobs)).toEqual(['t1/a'])
    },
  )

  it('checks that it is writable, and leaves nothing behind', async () => {
    await blobs.check()
    expect(await keysOf(blobs)).toEqual([])
    await writeFile(join(parent, 'file'), '')
    const unusable = server
      ? { ...server.options, secretAccessKey: 'of another' }
      : { url: join(parent, 'file', 'root') }
    await expect((await open(unusable)).check()).rejects.toMatchObject({ name: 'BlobError', reason: 'io' })
    expect(server?.refusals.splice(0) ?? ['SignatureDoesNotMatch']).toEqual(['SignatureDoesNotMatch'])
  })
})
