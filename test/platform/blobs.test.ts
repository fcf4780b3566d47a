import { spawnSync } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { BlobError, createDirectoryBlobs } from '../../packages/core/src/platform/blobs.ts'

async function setup() {
  const parent = await mkdtemp(join(tmpdir(), 'blobs-'))
  onTestFinished(() => rm(parent, { recursive: true, force: true }))
  const root = join(parent, 'root')
  return { parent, root, blobs: createDirectoryBlobs(root) }
}

async function filesIn(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true }).catch(() => [])
  return entries.filter((entry) => entry.isFile()).map((entry) => entry.name)
}

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

describe('createDirectoryBlobs', () => {
  it('stores bytes exactly and returns their size and hash', async () => {
    const { blobs } = await setup()
    const bytes = randomBytes(100_000)
    expect(await blobs.put('t1/files/a.bin', bytes)).toEqual({ size: 100_000, sha256: sha256(bytes) })
    expect(await blobs.get('t1/files/a.bin')).toEqual(bytes)
  })

  it('accepts Node streams and web streams', async () => {
    const { blobs } = await setup()
    const parts = [randomBytes(70_000), randomBytes(3), randomBytes(70_000)]
    const whole = Buffer.concat(parts)
    const expected = { size: whole.length, sha256: sha256(whole) }
    expect(await blobs.put('node', Readable.from(parts))).toEqual(expected)
    expect(
      await blobs.put('web', Readable.toWeb(Readable.from(parts)) as ReadableStream<Uint8Array>),
    ).toEqual(expected)
    expect(await blobs.get('web')).toEqual(whole)
  })

  it('streams a blob, also an empty one', async () => {
    const { blobs } = await setup()
    const bytes = randomBytes(200_000)
    await blobs.put('a', bytes)
    await blobs.put('empty', new Uint8Array())
    expect(Buffer.from(await new Response(await blobs.stream('a')).arrayBuffer())).toEqual(bytes)
    expect(await new Response(await blobs.stream('empty')).text()).toBe('')
  })

  it('names the file of a blob, and none where there is no blob', async () => {
    const { blobs, root } = await setup()
    await blobs.put('t1/a', Buffer.from('oats'))
    expect(await blobs.path('t1/a')).toBe(join(root, 't1', 'a'))
    for (const absent of ['t1', 't1/b', 't1/a/b']) expect(await blobs.path(absent)).toBeUndefined()
    await expect(blobs.path('../a')).rejects.toMatchObject({ reason: 'bad_key' })
  })

  it('returns nothing for an unknown key, a directory and a path below a blob', async () => {
    const { blobs } = await setup()
    await blobs.put('t1/a', Buffer.from('x'))
    for (const key of ['t2/a', 't1', 't1/a/b']) {
      expect(await blobs.get(key), key).toBeUndefined()
      expect(await blobs.stream(key), key).toBeUndefined()
    }
  })

  it('deletes a blob, and returns whether it existed', async () => {
    const { blobs } = await setup()
    await blobs.put('t1/a', Buffer.from('x'))
    expect(await blobs.remove('t1/a')).toBe(true)
    expect(await blobs.remove('t1/a')).toBe(false)
    expect(await blobs.get('t1/a')).toBeUndefined()
  })

  it.each([
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
    'a/'.repeat(300) + 'a',
  ])('rejects the key %j and changes nothing', async (key) => {
    const { blobs, parent } = await setup()
    await writeFile(join(parent, 'b'), 'outside')
    const calls = [blobs.put(key, Buffer.from('x')), blobs.get(key), blobs.stream(key), blobs.remove(key)]
    for (const result of await Promise.allSettled(calls)) {
      expect(result).toMatchObject({ status: 'rejected', reason: { name: 'BlobError', reason: 'bad_key' } })
    }
    expect(await filesIn(parent)).toEqual(['b'])
  })

  it('keeps the old blob and no partial file when the source fails, and passes its error on', async () => {
    const { blobs, root } = await setup()
    await blobs.put('t1/a', Buffer.from('old'))
    const broken = Object.assign(new Error('connection reset'), { code: 'ECONNRESET', syscall: 'read' })
    async function* source() {
      yield randomBytes(100_000)
      throw broken
    }
    await expect(blobs.put('t1/a', source())).rejects.toBe(broken)
    expect(String(await blobs.get('t1/a'))).toBe('old')
    expect(await filesIn(root)).toEqual(['a'])
  })

  it('keeps the old blob and no partial file when the disk is full', async () => {
    const { blobs, root } = await setup()
    await blobs.put('t1/a', Buffer.from('old'))
    const source = fileURLToPath(new URL('../../packages/core/src/platform/blobs.ts', import.meta.url))
    const script = `
      const { createDirectoryBlobs } = await import(${JSON.stringify(source)})
      const failed = await createDirectoryBlobs(${JSON.stringify(root)}).put('t1/a', Buffer.alloc(1e6)).catch((e) => e)
      process.stdout.write(failed.reason + ' ' + failed.message)`
    // The kernel refuses to let a file grow past 64 KiB, as it does when the disk has no more room.
    const limited = `trap '' XFSZ; ulimit -f 64; exec "$0" --input-type=module -e "$1"`
    const { stdout } = spawnSync('bash', ['-c', limited, process.execPath, script], { encoding: 'utf8' })
    expect(stdout).toBe('full Blob t1/a could not be written: no room left on the disk.')
    expect(String(await blobs.get('t1/a'))).toBe('old')
    expect(await filesIn(root)).toEqual(['a'])
  })

  it('returns either the old or the new blob completely during a concurrent write', async () => {
    const { blobs, root } = await setup()
    const versions = [Buffer.alloc(300_000, 1), Buffer.alloc(300_000, 2)]
    await blobs.put('a', Buffer.alloc(300_000, 1))
    const writes = Promise.all(versions.flatMap((bytes) => [blobs.put('a', bytes), blobs.put('a', bytes)]))
    for (let i = 0; i < 20; i += 1) {
      const read = Buffer.from((await blobs.get('a')) ?? [])
      expect(versions.some((bytes) => bytes.equals(read))).toBe(true)
    }
    await writes
    expect(await filesIn(root)).toEqual(['a'])
  })

  it('makes files readable by the owner of the process only', async () => {
    const { blobs, root } = await setup()
    await blobs.put('t1/a', Buffer.from('x'))
    expect((await stat(join(root, 't1/a'))).mode & 0o777).toBe(0o600)
    expect((await stat(join(root, 't1'))).mode & 0o777).toBe(0o700)
    expect(await readFile(join(root, 't1/a'), 'utf8')).toBe('x')
  })

  it('checks that it is writable, and leaves nothing behind', async () => {
    const { blobs, parent, root } = await setup()
    await blobs.check()
    expect(await filesIn(root)).toEqual([])
    await writeFile(join(parent, 'file'), '')
    await expect(createDirectoryBlobs(join(parent, 'file', 'root')).check()).rejects.toThrow(BlobError)
  })
})
