import { randomBytes } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { startBucket } from '../kit/bucket-server.ts'
import { cli, setUpIn, temporaryFolder } from './process.ts'
import { show } from './shown-config.ts'

const url = 's3://media?region=eu-test-1'

describe('the settings of storage', () => {
  it('come from the environment, and the key is not shown', async () => {
    using folder = temporaryFolder()
    await writeFile(join(folder.path, 'secret.txt'), 'the-secret\n')
    const { of, settings } = await show(folder.path, {
      COPYDESK_STORAGE_URL: url,
      COPYDESK_STORAGE_ACCESS_KEY_ID: 'the-key-id',
      COPYDESK_STORAGE_SECRET_ACCESS_KEY_FILE: join(folder.path, 'secret.txt'),
    })
    expect(of('storage.url')).toMatchObject({ value: url })
    expect(of('storage.secretAccessKey')).toMatchObject({ value: '***' })
    expect(JSON.stringify(settings)).not.toMatch(/the-secret|the-key-id/)
  })

  it.each<[string, Record<string, string>, string]>([
    ['another kind of URL', { COPYDESK_STORAGE_URL: 'ftp://media' }, 'storage.url: must be a folder, or'],
    ['a bucket without a key', { COPYDESK_STORAGE_URL: url }, 'storage.accessKeyId: is missing'],
    ['half a key', { COPYDESK_STORAGE_ACCESS_KEY_ID: 'a' }, 'storage.secretAccessKey: is missing'],
  ])('are rejected by name: %s', async (_, env, message) => {
    using folder = temporaryFolder()
    const { code, stderr } = await cli(['config', 'show'], { cwd: folder.path, env })
    expect(code).toBe(2)
    expect(stderr).toContain(message)
  })
})

describe('copydesk storage move, or media move', () => {
  it('copies all files and checks them, goes on where it was, and the store works from there', async () => {
    using folder = temporaryFolder()
    const cwd = folder.path
    await setUpIn(cwd)
    await using bucket = await startBucket({ pageSize: 2 })
    const { accessKeyId, secretAccessKey } = bucket.options
    await writeFile(join(cwd, 'secret.txt'), secretAccessKey)
    const blobs = join(cwd, 'copydesk-data', 'blobs')
    const files = new Map(
      ['tenants/a/documents/1', 'tenants/a/documents/2', 'tenants/b/x', 'y'].map((key, n) => [
        key,
        randomBytes(n * 3_000_000),
      ]),
    )
    for (const [key, bytes] of files) {
      await mkdir(join(blobs, key, '..'), { recursive: true })
      await writeFile(join(blobs, key), bytes)
    }
    await writeFile(join(blobs, 'tenants', '.tmp-unfinished'), 'x')
    const move = (...options: string[]) =>
      cli(['storage', 'move', '--json', '--to', bucket.options.url, ...options], { cwd })
    const keys = ['--access-key-id', accessKeyId, '--secret-file', 'secret.txt']

    const without = await move()
    expect([without.code, without.stderr]).toEqual([2, expect.stringContaining('accessKeyId is missing')])
    // Broken off at the third file.
    bucket.failNext(Array.from({ length: 4 }, () => ({ on: /PUT .*tenants\/b\/x/, status: 500 })))
    const broken = await move(...keys)
    expect([broken.code, broken.stderr]).toEqual([1, expect.stringContaining('could not be written')])
    const written = bucket.requests.filter((line) => line.startsWith('PUT')).length
    bucket.requests.splice(0)

    const done = await move(...keys)
    const before = bucket.objects.size
    expect(done.code).toBe(0)
    const counts = JSON.parse(done.stdout)
    expect(counts.copied + counts.present).toBe(4)
    expect(counts.copied).toBeLessThan(4)
    expect(written).toBeGreaterThan(0)
    const again = await cli(['media', 'move', '--json', '--to', bucket.options.url, ...keys], { cwd })
    expect([again.code, JSON.parse(again.stdout)]).toMatchObject([0, { copied: 0, present: 4 }])
    expect(done.stderr).toContain('set storage.url')
    expect(before).toBe(4)
    for (const [key, bytes] of files)
      expect(bucket.objects.get(`files/${key}`)?.bytes.equals(bytes), key).toBe(true)
    expect(JSON.parse((await move(...keys)).stdout)).toMatchObject({
      copied: 0,
      present: 4,
      bytes: 18_000_000,
    })

    const env = {
      COPYDESK_STORAGE_URL: bucket.options.url,
      COPYDESK_STORAGE_ACCESS_KEY_ID: accessKeyId,
      COPYDESK_STORAGE_SECRET_ACCESS_KEY: secretAccessKey,
    }
    const finding = async (given: Record<string, string>) => {
      const { stdout } = await cli(['doctor', '--json'], { cwd, env: given })
      return (JSON.parse(stdout).findings as Array<{ name: string }>).find(({ name }) => name === 'files')
    }
    expect(await finding(env)).toMatchObject({ ok: true })
    expect(await finding({ ...env, COPYDESK_STORAGE_SECRET_ACCESS_KEY: 'another' })).toMatchObject({
      ok: false,
      message: expect.stringContaining('SignatureDoesNotMatch'),
      remedy: expect.stringContaining('check storage in the configuration'),
    })
  })
})
