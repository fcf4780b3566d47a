import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { cliProcess, setUpAnew, startCli, temporaryFolder } from './process.ts'

describe('copydesk up', () => {
  it('sets up an installation, explains how to create the first super-admin, and serves', async () => {
    using folder = temporaryFolder()
    const running = await startCli(['up', '--port', '0', '--json'], { cwd: folder.path })
    await running.says('"pid"')
    await running.says(' user create --role super_admin')
    running.child.kill('SIGINT')
    const ended = await running.ended
    expect(ended.code).toBe(0)
    expect(JSON.parse(ended.stdout)).toMatchObject({ version: expect.any(String) as string })
    const data = join(folder.path, 'copydesk-data')
    expect(readdirSync(data)).toEqual(expect.arrayContaining(['copydesk.db', 'secrets.json']))
    expect(statSync(data).mode & 0o777).toBe(0o700)
    expect(statSync(join(data, 'secrets.json')).mode & 0o777).toBe(0o600)
  })

  it('creates nothing the second time, and keeps the keys', async () => {
    using folder = temporaryFolder()
    const said = await setUpAnew(folder.path)
    expect(said).toContain('created: keys')
    // Not the names of all of them.
    expect(said).toMatch(/created: schema \(\d+ steps up to \d{4}-[a-z-]+\)/)
    const secrets = join(folder.path, 'copydesk-data', 'secrets.json')
    const before = readFileSync(secrets, 'utf8')
    expect(await setUpAnew(folder.path)).not.toContain('created:')
    expect(readFileSync(secrets, 'utf8')).toBe(before)
  })

  it('serves requests until it is stopped', async () => {
    using folder = temporaryFolder()
    const running = await startCli(['up', '--port', '0', '--json'], { cwd: folder.path })
    await running.says('"pid"')
    const { url } = JSON.parse(running.said().stdout) as { url: string }
    expect((await fetch(`${url}/health`)).status).toBe(200)
    running.child.kill('SIGTERM')
    expect((await running.ended).code).toBe(0)
    await expect(fetch(`${url}/health`)).rejects.toThrow(/fetch failed/)
  })

  it('keeps everything in the data folder private to its owner, also in an existing shared folder', async () => {
    using folder = temporaryFolder()
    const data = join(folder.path, 'copydesk-data')
    mkdirSync(data, { mode: 0o755 })
    chmodSync(data, 0o755)
    const running = await startCli(['up', '--port', '0', '--json'], { cwd: folder.path })
    await running.says('"pid"')
    const open = readdirSync(data, { recursive: true, encoding: 'utf8' }).filter(
      (name) => (statSync(join(data, name)).mode & 0o077) !== 0,
    )
    running.child.kill('SIGTERM')
    await running.ended
    expect(open).toEqual([])
  })

  it('restricts the permissions of files that others could read, with a message', async () => {
    using folder = temporaryFolder()
    await setUpAnew(folder.path)
    const data = join(folder.path, 'copydesk-data')
    writeFileSync(join(data, 'copydesk.json'), '{}', { mode: 0o644 })
    chmodSync(join(data, 'copydesk.db'), 0o644)
    const said = await setUpAnew(folder.path)
    for (const name of ['copydesk.db', 'copydesk.json']) {
      expect(said).toContain(
        `Other users could read ${join(data, name)}; its permissions are restricted now.`,
      )
      expect(statSync(join(data, name)).mode & 0o777).toBe(0o600)
    }
  })

  it('rejects a second server on the same SQLite folder, and starts again after a kill', async () => {
    using folder = temporaryFolder()
    const first = await startCli(['up', '--port', '0', '--json'], { cwd: folder.path })
    await first.says('"pid"')
    for (const name of ['up', 'serve']) {
      const second = await cliProcess([name, '--port', '0'], { cwd: folder.path })
      expect(second).toMatchObject({ code: 1, stdout: '' })
      expect(second.stderr).toMatch(
        /^error: Another server \(process \d+\) already uses the data folder .*\n$/,
      )
    }
    first.child.kill('SIGKILL')
    await first.ended
    expect(await setUpAnew(folder.path)).not.toContain('Another server')
  })

  it('prints the command with which it was started', async () => {
    using folder = temporaryFolder()
    const env = { npm_command: 'exec' }
    const running = await startCli(['up', '--port', '0', '--data-dir', 'here'], { cwd: folder.path, env })
    await running.says('  npx copydesk user create --role super_admin')
    await running.says('--name "Your Name" --data-dir here')
    running.child.kill('SIGTERM')
    expect((await running.ended).code).toBe(0)
  })

  it('refuses to create new keys for a database that has keys', async () => {
    using folder = temporaryFolder()
    await setUpAnew(folder.path)
    const secrets = join(folder.path, 'copydesk-data', 'secrets.json')
    rmSync(secrets)
    const ended = await cliProcess(['up', '--port', '0'], { cwd: folder.path })
    expect(ended).toMatchObject({ code: 1, stdout: '' })
    expect(ended.stderr).toMatch(/^error: The database .* exists, but the keys .*\n$/)
    expect(existsSync(secrets)).toBe(false)
    const doctor = await cliProcess(['doctor'], { cwd: folder.path })
    expect(doctor.stdout).toContain('exists, but the keys that it was set up with are missing')
  })

  it('reports in one sentence that its keys are wrong, damaged or readable by others', async () => {
    using folder = temporaryFolder()
    await setUpAnew(folder.path)
    const secrets = join(folder.path, 'copydesk-data', 'secrets.json')
    const good = readFileSync(secrets, 'utf8')
    const wrong = JSON.parse(good) as { encryptionKeys: Array<{ key: string }> }
    for (const each of wrong.encryptionKeys) each.key = Buffer.alloc(32, 1).toString('base64')
    for (const [content, sentence] of [
      [
        JSON.stringify(wrong),
        /^error: The encryption key is not the one that this database was set up with\. .*\n$/,
      ],
      ['{', /^error: The secrets file .* is damaged\. .*\n$/],
    ] as const) {
      writeFileSync(secrets, content)
      const ended = await cliProcess(['up', '--port', '0'], { cwd: folder.path })
      expect(ended.code).toBe(1)
      expect(ended.stderr).toMatch(sentence)
    }
    writeFileSync(secrets, good)
    chmodSync(secrets, 0o644)
    const ended = await cliProcess(['up', '--port', '0'], { cwd: folder.path })
    expect(ended.stderr).toMatch(/^error: Other users can read the secrets file .*\n$/)
  })

  it('reports in one sentence that the port is in use, the database damaged or the data folder a file', async () => {
    using folder = temporaryFolder()
    await setUpAnew(folder.path)
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    const port = String((other.address() as AddressInfo).port)
    const taken = await cliProcess(['up', '--port', port], { cwd: folder.path })
    const fresh = join(folder.path, 'fresh')
    const early = await cliProcess(['up', '--port', port, '--data-dir', fresh], { cwd: folder.path })
    expect(early.stderr).toMatch(/^error: Port \d+ on 127\.0\.0\.1 is already in use: .*\n$/)
    expect(existsSync(fresh)).toBe(false)
    other.close()
    expect(taken.code).toBe(1)
    expect(taken.stderr).toMatch(/^error: Port \d+ on 127\.0\.0\.1 is already in use: .*\n$/m)
    writeFileSync(
      join(folder.path, 'copydesk-data', 'copydesk.db'),
      'no database at all, just some words\n'.repeat(9),
    )
    const damaged = await cliProcess(['up', '--port', '0'], { cwd: folder.path })
    expect(damaged.code).toBe(1)
    expect(damaged.stderr).toMatch(/^error: .*copydesk\.db.*\n$/)
    writeFileSync(join(folder.path, 'file'), '')
    const file = await cliProcess(['up', '--data-dir', 'file'], { cwd: folder.path })
    expect(file.stderr).toMatch(/^error: .* is a file, .*\n$/)
  })
})
