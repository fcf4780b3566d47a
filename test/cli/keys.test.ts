import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { cli, setUpAnew, setUpIn, startCli, temporaryFolder } from './process.ts'

const email = 'root@example.com'
const password = 'a long password'

/** An installation with a super-admin, and a server that runs on it. */
async function open(folder: string) {
  await setUpIn(folder)
  const create = [
    'user',
    'create',
    '--role',
    'super_admin',
    '--email',
    email,
    '--name',
    'Ro',
    '--password-stdin',
  ]
  expect(await cli(create, { cwd: folder, input: password })).toMatchObject({ code: 0 })
  const running = await startCli(['serve', '--port', '0', '--json'], { cwd: folder })
  await running.says('"pid"')
  const { url } = JSON.parse(running.said().stdout) as { url: string }
  const logIn = async () => {
    const response = await fetch(`${url}/auth/v1/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email, password, app: 'manage' }),
    })
    expect(response.status).toBe(200)
    return (await response.json()) as { accessToken: string }
  }
  /** Work that comes again; asked for with an idempotency key, under which the answer is kept sealed. */
  const addTemplate = async (key: string) => {
    const response = await fetch(`${url}/admin/v1/recurring-templates`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'idempotency-key': key,
        authorization: `Bearer ${(await logIn()).accessToken}`,
      },
      body: JSON.stringify({
        title: 'Report',
        agentRole: 'analyst',
        cron: '0 9 * * *',
        promptTemplate: 'Count the {{what}}',
        variables: { what: 'sales' },
        applyToTenants: 'all',
      }),
    })
    expect(response.status).toBe(201)
    return (await response.json()) as { id: string }
  }
  return {
    running,
    logIn,
    addTemplate,
    me: async (token: string) =>
      (await fetch(`${url}/auth/v1/me`, { headers: { authorization: `Bearer ${token}` } })).status,
    async [Symbol.asyncDispose]() {
      running.child.kill('SIGTERM')
      await running.ended
    },
  }
}

const keyIdOf = (token: string) =>
  (JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString()) as { kid: string }).kid

const list = async (cwd: string) =>
  JSON.parse((await cli(['keys', 'list', '--json'], { cwd })).stdout) as Array<{
    kind: string
    id: string
    use: string
    sealed?: number
  }>

/** Moves the making of all keys into the past. */
function age(folder: string, hours: number) {
  const file = join(folder, 'copydesk-data', 'secrets.json')
  const made = new Date(Date.now() - hours * 3_600_000).toISOString()
  writeFileSync(file, readFileSync(file, 'utf8').replace(/"createdAt": "[^"]+"/g, `"createdAt": "${made}"`))
}

describe('copydesk keys rotate signing', () => {
  it('rotates the key of a running server: older tokens stay valid until the old key is retired', async () => {
    using folder = temporaryFolder()
    const cwd = folder.path
    await using server = await open(cwd)
    const before = (await server.logIn()).accessToken
    expect(keyIdOf(before)).toBe('k1')
    expect(await cli(['keys', 'rotate', 'signing'], { cwd })).toMatchObject({ code: 0, stdout: 'k2\n' })
    await server.running.says('the keys were reloaded')
    const after = (await server.logIn()).accessToken
    expect(keyIdOf(after)).toBe('k2')
    expect([await server.me(before), await server.me(after)]).toEqual([200, 200])

    const early = await cli(['keys', 'retire', 'signing', 'k1', '--yes'], { cwd })
    expect(early).toMatchObject({ code: 1, stdout: '' })
    expect(early.stderr).toContain('Try again in 60 minutes')
    const current = await cli(['keys', 'retire', 'signing', 'k2', '--yes'], { cwd })
    expect(current.stderr).toContain('is in use')
    expect(current.code).toBe(1)

    age(cwd, 2)
    expect(await cli(['keys', 'retire', 'signing', 'k1', '--yes'], { cwd })).toMatchObject({ code: 0 })
    await expect.poll(() => server.me(before), { timeout: 10_000 }).toBe(401)
    expect(await server.me(after)).toBe(200)
  })
})

describe('copydesk keys rotate encryption', () => {
  it('re-encrypts everything while the server runs, after which the old key can be retired', async () => {
    using folder = temporaryFolder()
    const cwd = folder.path
    {
      await using server = await open(cwd)
      const first = await server.addTemplate('once')
      expect(await cli(['keys', 'rotate', 'encryption'], { cwd })).toMatchObject({ code: 0, stdout: 'k2\n' })
      expect(await server.addTemplate('once')).toEqual(first)
      const keys = (await list(cwd)).filter(({ kind }) => kind === 'encryption')
      expect(keys).toMatchObject([
        { id: 'k2', use: 'encrypts', sealed: 2 },
        { id: 'k1', use: 'still understood', sealed: 0 },
      ])
      expect(await cli(['keys', 'retire', 'encryption', 'k1', '--yes'], { cwd })).toMatchObject({ code: 0 })
      expect(await server.addTemplate('once')).toEqual(first)
    }
    // A restart proves that nothing needs the old key.
    await setUpAnew(cwd)
  })

  it('refuses to remove a key that is still used for encryption', async () => {
    using folder = temporaryFolder()
    const cwd = folder.path
    await setUpIn(cwd)
    const file = join(cwd, 'copydesk-data', 'secrets.json')
    const secrets = JSON.parse(readFileSync(file, 'utf8')) as { encryptionKeys: unknown[] }
    secrets.encryptionKeys.unshift({ id: 'new', key: Buffer.alloc(32, 9).toString('base64') })
    writeFileSync(file, JSON.stringify(secrets))
    const refused = await cli(['keys', 'retire', 'encryption', 'k1', '--yes'], { cwd })
    expect(refused).toMatchObject({ code: 1, stdout: '' })
    expect(refused.stderr).toContain('1 texts are still encrypted with the key k1')
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(secrets)
  })
})

describe('copydesk keys', () => {
  it('does not change keys from the environment, and explains what to do', async () => {
    using folder = temporaryFolder()
    const cwd = folder.path
    await setUpIn(cwd)
    const { signingKeys } = JSON.parse(readFileSync(join(cwd, 'copydesk-data', 'secrets.json'), 'utf8')) as {
      signingKeys: Array<{ id: string; secret: string }>
    }
    const env = { COPYDESK_SIGNING_KEYS: signingKeys.map(({ id, secret }) => `${id}:${secret}`).join(',') }
    const refused = await cli(['keys', 'rotate', 'signing'], { cwd, env })
    expect(refused).toMatchObject({ code: 1, stdout: '' })
    expect(refused.stderr).toContain('add a new key as the first one')
  })

  it('handles two concurrent rotations: both keys exist afterwards, or one command reports the conflict', async () => {
    using folder = temporaryFolder()
    const cwd = folder.path
    await setUpIn(cwd)
    const both = await Promise.all([1, 2].map(() => cli(['keys', 'rotate', 'signing'], { cwd })))
    const done = both.filter(({ code }) => code === 0).length
    expect(done).toBeGreaterThan(0)
    const refused = both.filter(({ code }) => code !== 0).map(({ stderr }) => stderr)
    expect(refused).toEqual(refused.map(() => expect.stringContaining('Try again in a moment')))
    expect((await list(cwd)).filter(({ kind }) => kind === 'signing')).toHaveLength(1 + done)
  })
})
