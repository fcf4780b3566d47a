import { chmodSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import { describe, expect, it } from 'vitest'
import { cliProcess, setUpIn, silentPort, temporaryFolder } from './process.ts'

async function json(
  args: string[],
  cwd: string,
  input?: string,
  env?: Record<string, string>,
): Promise<never> {
  const ended = await cliProcess([...args, '--json'], { cwd, env, ...(input !== undefined && { input }) })
  expect(ended.stderr).not.toContain('error')
  expect(ended.code).toBe(0)
  return JSON.parse(ended.stdout) as never
}

describe('copydesk tenant, user, api-key', () => {
  it('create, list and revoke, with data on stdout and messages on stderr', async () => {
    using folder = temporaryFolder()
    await setUpIn(folder.path)
    const cwd = folder.path
    const tenant = await json(
      ['tenant', 'create', '--name', 'Example Ltd', '--timezone', 'Europe/Berlin'],
      cwd,
    )
    expect(tenant).toMatchObject({ name: 'Example Ltd', plan: 'pro', status: 'active' })
    const { id } = tenant as { id: string }
    expect(await json(['tenant', 'list'], cwd)).toMatchObject([{ id }])

    const create = [
      'user',
      'create',
      '--email',
      'A@Example.com',
      '--name',
      'Ada',
      '--role',
      'admin',
      '--password-stdin',
    ]
    const common = await cliProcess([...create, '--tenant', id], { cwd, input: 'Password1' })
    expect(common).toMatchObject({ code: 2, stdout: '' })
    expect(common.stderr).toMatch(/^error: .*passwords that guessers try first.*\n$/)
    const user = await json([...create, '--tenant', id], cwd, 'a long password\n')
    expect(user).toMatchObject({ email: 'a@example.com', role: 'admin', tenantId: id })
    expect(JSON.stringify(user)).not.toContain('a long password')
    expect(await json(['user', 'list', '--tenant', id], cwd)).toHaveLength(1)
    const twice = await cliProcess([...create, '--tenant', id], { cwd, input: 'a long password' })
    expect(twice).toMatchObject({ code: 1, stdout: '' })
    expect(twice.stderr).toMatch(/^error: There is a user with the e-mail a@example\.com already\n$/)

    const key = (await json(
      ['api-key', 'create', '--user', 'a@example.com', '--name', 'k', '--expires-in', '9'],
      cwd,
    )) as {
      id: string
      key: string
    }
    expect(key.key).toMatch(/^cdk_live_/)
    const listed = await cliProcess(['api-key', 'list'], { cwd })
    expect(listed.stdout).toContain(key.id)
    expect(listed.stdout).not.toContain(key.key)
    const unasked = await cliProcess(['api-key', 'revoke', key.id], { cwd })
    expect(unasked.code).toBe(2)
    expect(unasked.stderr).toContain('Add --yes')
    expect(await json(['api-key', 'list'], cwd)).toMatchObject([{ status: 'active' }])
    await json(['api-key', 'revoke', key.id, '--yes'], cwd)
    expect(await json(['api-key', 'list', '--user', 'a@example.com'], cwd)).toMatchObject([
      { status: 'revoked' },
    ])
  })

  it('exit with 2 and the invalid value, and create nothing', async () => {
    using folder = temporaryFolder()
    await setUpIn(folder.path)
    const cwd = folder.path
    const zone = await cliProcess(['tenant', 'create', '--name', 'X', '--timezone', 'Mars/North'], { cwd })
    expect(zone).toMatchObject({ code: 2, stdout: '' })
    expect(zone.stderr).toContain('timezone: Mars/North is no IANA time zone')
    expect(await json(['tenant', 'list'], cwd)).toEqual([])
    const nobody = await cliProcess(
      ['user', 'create', '--email', 'a@b.de', '--name', 'A', '--role', 'super_admin'],
      { cwd },
    )
    expect(nobody.code).toBe(2)
    expect(nobody.stderr).toContain('--password-stdin')
    expect(await json(['user', 'list'], cwd)).toEqual([])
  })

  it('report a missing installation, and create no database', async () => {
    using folder = temporaryFolder()
    const ended = await cliProcess(['tenant', 'list'], { cwd: folder.path })
    expect(ended).toMatchObject({ code: 1, stdout: '' })
    expect(ended.stderr).toMatch(
      /^error: There is no installation in .*copydesk-data\. Run `.* up` .*--data-dir.*\n$/,
    )
    expect(readdirSync(folder.path)).toEqual([])
  })
})

describe('copydesk migrate', () => {
  it('lists, prints, reverts and applies migrations', async () => {
    using folder = temporaryFolder()
    await setUpIn(folder.path)
    const cwd = folder.path
    const before = (await json(['migrate', 'status'], cwd)) as { executed: string[]; pending: string[] }
    expect(before.pending).toEqual([])
    const last = before.executed.at(-1)
    expect(await json(['migrate', 'down', '--dry-run'], cwd)).toEqual({ wouldTakeBack: [last] })
    expect((await cliProcess(['migrate', 'down'], { cwd })).code).toBe(2)
    expect(await json(['migrate', 'status'], cwd)).toEqual(before)
    expect(await json(['migrate', 'down', '--yes'], cwd)).toEqual({ takenBack: [last] })
    const refused = await cliProcess(['serve', '--port', '0'], { cwd })
    expect(refused.code).toBe(1)
    expect(refused.stderr).toContain('copydesk migrate up')
    // Those of another database do nothing here: see the next test.
    expect((await cliProcess(['migrate', 'up', '--dry-run'], { cwd })).stdout).toMatch(`-- ${last}\n`)
    expect(await json(['migrate', 'up'], cwd)).toEqual({ applied: [last] })
    expect(await json(['migrate', 'status'], cwd)).toEqual(before)
  })

  it('prints that a pending migration does nothing on this database', async () => {
    using folder = temporaryFolder()
    await setUpIn(folder.path)
    const cwd = folder.path
    await json(['migrate', 'down', '--to', '0055-list-indexes', '--yes'], cwd)
    const { stdout } = await cliProcess(['migrate', 'up', '--dry-run'], { cwd })
    expect(stdout).toContain('-- 0056-lead-blocks\n-- nothing to do on this database\n')
    expect(stdout).toMatch(/-- 0057-dated-mails\ncreate index/)
  })
})

describe('copydesk doctor', () => {
  it('reports problems with remedies, and repairs them on request', async () => {
    using folder = temporaryFolder()
    await setUpIn(folder.path)
    // A server of someone else at the usual port is no fault of this installation.
    await using port = await silentPort()
    const { env } = port
    const cwd = folder.path
    const doctor = (...more: string[]) => json(['doctor', ...more], cwd, undefined, env)
    expect(await doctor()).toMatchObject({
      ok: true,
      findings: expect.arrayContaining([
        expect.objectContaining({
          name: 'proxy',
          message: expect.stringContaining(`nothing answers at ${port.url}`),
        }),
      ]),
    })
    const secrets = join(cwd, 'copydesk-data', 'secrets.json')
    chmodSync(secrets, 0o644)
    const sick = await cliProcess(['doctor'], { cwd, env })
    expect(sick.code).toBe(1)
    expect(sick.stdout).toContain(`WRONG  secrets file: other users can read ${secrets}`)
    expect(statSync(secrets).mode & 0o777).toBe(0o644)
    expect(await doctor('--repair')).toMatchObject({ ok: true })
    expect(statSync(secrets).mode & 0o777).toBe(0o600)
    const database = join(cwd, 'copydesk-data', 'copydesk.db')
    chmodSync(database, 0o644)
    const open = await cliProcess(['doctor'], { cwd, env })
    expect(open.code).toBe(1)
    expect(open.stdout).toContain(`WRONG  file modes: other users can read ${database}`)
    expect(await doctor('--repair')).toMatchObject({ ok: true })
    expect(statSync(database).mode & 0o777).toBe(0o600)
    const config = join(cwd, 'elsewhere.json')
    writeFileSync(config, '{ "providers": { "hosted_a": { "apiKey": "sk-secret", "models": ["m"] } } }')
    chmodSync(config, 0o644)
    const shared = await cliProcess(['doctor', '--config', config], { cwd, env })
    expect(shared.stdout).toContain(`WRONG  configuration file: all users of this machine can read ${config}`)
  })
})

describe('copydesk', () => {
  it.each([
    [['nope']],
    [['tenant']],
    [['tenant', 'create']],
    [['serve', '--port', 'x']],
    [['routes', '--surface', 'moon']],
  ])('exits %j with 2 and a sentence, without a stack trace', async (args) => {
    using folder = temporaryFolder()
    const ended = await cliProcess(args, { cwd: folder.path })
    expect(ended).toMatchObject({ code: 2, stdout: '' })
    expect(ended.stderr).not.toBe('')
    expect(ended.stderr).not.toMatch(/^\s+at /m)
  })

  it('shows an example in the help of every command', async () => {
    const { createProgram } = await import('../../packages/server/src/commands/program.ts')
    const visit = (command: Command, path: string): string[] => {
      let text = ''
      command.configureOutput({ writeOut: (piece) => (text += piece) }).outputHelp()
      const own = text.includes('\nExample') ? [] : [path]
      return [...own, ...command.commands.flatMap((child) => visit(child, `${path} ${child.name()}`))]
    }
    expect(visit(await createProgram([]), 'copydesk')).toEqual([])
  })

  it('names only commands that there are, in the examples of groups', async () => {
    const { createProgram } = await import('../../packages/server/src/commands/program.ts')
    const unknown = (group: Command): string[] => {
      let text = ''
      group.configureOutput({ writeOut: (piece) => (text += piece) }).outputHelp()
      const named = [...text.matchAll(/\$ copydesk (\S+) ([a-z-]+)/g)].filter(
        ([, first]) => first === group.name(),
      )
      const names = group.commands.map((child) => child.name())
      return named.filter(([, , second = '']) => !names.includes(second)).map(([line]) => line)
    }
    const groups = (await createProgram([])).commands.filter(({ commands }) => commands.length > 0)
    expect(groups.map((group) => group.name())).toContain('ads')
    expect(groups.flatMap(unknown)).toEqual([])
  })

  it('lists the endpoints and prints the OpenAPI document without an installation', async () => {
    using folder = temporaryFolder()
    const routes = (await json(['routes'], folder.path)) as Array<{ method: string; path: string }>
    expect(routes).toContainEqual(
      expect.objectContaining({ method: 'POST', path: '/auth/v1/login', access: 'public' }),
    )
    const document = (await json(['openapi'], folder.path)) as {
      openapi: string
      paths: Record<string, object>
    }
    expect(document.openapi).toMatch(/^3\.1\./)
    expect(Object.keys(document.paths)).toContain('/auth/v1/login')
    expect(readdirSync(folder.path)).toEqual([])
  })

  it('prints its version, as text and as JSON', async () => {
    using folder = temporaryFolder()
    const text = await cliProcess(['version'], { cwd: folder.path })
    expect(text).toMatchObject({ code: 0, stderr: '' })
    expect(await json(['version'], folder.path)).toMatchObject({ version: text.stdout.trim() })
  })
})
