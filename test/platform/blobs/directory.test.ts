import { spawnSync } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createDirectoryBlobs } from '../../../packages/core/src/platform/blobs/directory.ts'

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

describe('createDirectoryBlobs', () => {
  it('keeps the old blob and no partial file when the disk is full', async () => {
    const { blobs, root } = await setup()
    await blobs.put('t1/a', Buffer.from('old'))
    const source = fileURLToPath(
      new URL('../../../packages/core/src/platform/blobs/directory.ts', import.meta.url),
    )
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
})
