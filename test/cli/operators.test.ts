import { cpSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cli, setUpIn, temporaryFolder } from './process.ts'

const admin = 'ada.with.a.rather.long.address@example.com'

interface Installation {
  cwd: string
  tenantId: string
  adminId: string
}

async function json(args: string[], cwd: string, input?: string): Promise<never> {
  const ended = await cli([...args, '--json'], { cwd, ...(input !== undefined && { input }) })
  expect(ended.stderr).not.toContain('error')
  expect(ended.code).toBe(0)
  return JSON.parse(ended.stdout) as never
}

/** An installation with a tenant, its admin and one super-admin, made once and copied for each test. */
const template = temporaryFolder()
let made: Omit<Installation, 'cwd'>

beforeAll(async () => {
  const cwd = template.path
  await setUpIn(cwd)
  const create = ['tenant', 'create', '--name', 'Example & Daughters Bakery Ltd', '--domain', 'example.com']
  const { id: tenantId } = (await json(create, cwd)) as { id: string }
  const user = (email: string, role: string, ...more: string[]) =>
    json(
      ['user', 'create', '--email', email, '--name', 'Ada', '--role', role, '--password-stdin', ...more],
      cwd,
      'a long password',
    ) as Promise<{ id: string }>
  const { id: adminId } = await user(admin, 'admin', '--tenant', tenantId)
  await user('root@example.com', 'super_admin')
  made = { tenantId, adminId }
})

afterAll(() => template[Symbol.dispose]())

function copyInstallation(cwd: string): Installation {
  cpSync(template.path, cwd, { recursive: true })
  return { ...made, cwd }
}

const widest = (text: string) => Math.max(...text.split('\n').map((line) => line.length))

describe('copydesk tenant', () => {
  it('lists and shows tenants, and asks for confirmation before it suspends one', async () => {
    using folder = temporaryFolder()
    const { cwd, tenantId } = copyInstallation(folder.path)
    expect(await json(['tenant', 'list', '--search', 'exmaple'], cwd)).toMatchObject([{ id: tenantId }])
    expect(await json(['tenant', 'list', '--status', 'suspended'], cwd)).toEqual([])
    const reason = ['--reason', 'unpaid']
    const unasked = await cli(['tenant', 'suspend', 'example.com', ...reason], { cwd })
    expect(unasked).toMatchObject({ code: 2, stdout: '' })
    expect(unasked.stderr).toContain('Add --yes')
    expect((await cli(['tenant', 'suspend', 'example.com', '--yes'], { cwd })).code).toBe(2)
    expect(await json(['tenant', 'show', tenantId], cwd)).toMatchObject({ status: 'active' })
  })

  it('suspends and reinstates a tenant by its id, domain or name', async () => {
    using folder = temporaryFolder()
    const { cwd, tenantId } = copyInstallation(folder.path)
    const reason = ['--reason', 'unpaid']
    const suspended = await json(['tenant', 'suspend', 'Example.com', ...reason, '--yes'], cwd)
    expect(suspended).toMatchObject({ tenantId, status: 'suspended' })
    const twice = await cli(['tenant', 'suspend', tenantId, ...reason, '--yes'], { cwd })
    expect(twice).toMatchObject({ code: 1, stdout: '', stderr: 'error: The tenant is already suspended\n' })
    const { agentsPaused } = suspended as { agentsPaused: number }
    expect(
      await json(['tenant', 'reinstate', 'example & daughters bakery ltd', '--note', 'paid'], cwd),
    ).toEqual({
      tenantId,
      status: 'active',
      agentsResumed: agentsPaused,
    })
    const nobody = await cli(['tenant', 'show', 'nobody.example'], { cwd })
    expect(nobody).toMatchObject({ code: 1, stdout: '' })
    expect(nobody.stderr).toMatch(
      /^error: There is no tenant nobody\.example\. .*`copydesk tenant list` shows them\.\n$/,
    )
    const active = await cli(['tenant', 'activate', tenantId], { cwd })
    expect(active).toMatchObject({ code: 1, stderr: 'error: The tenant is already active\n' })
  })

  it('prints a token for read-only access to a tenant, in the name of a super-admin', async () => {
    using folder = temporaryFolder()
    const { cwd, tenantId } = copyInstallation(folder.path)
    const plain = await cli(['tenant', 'impersonate', 'example.com'], { cwd })
    expect(plain).toMatchObject({ code: 0 })
    const claims = JSON.parse(atob(plain.stdout.split('.')[1] ?? '')) as object
    expect(claims).toMatchObject({ aud: 'impersonation', tenantId, email: 'root@example.com' })
    expect(plain.stderr).toContain('30 minutes')
    const asAdmin = await cli(['tenant', 'impersonate', tenantId, '--as', admin], { cwd })
    expect(asAdmin).toMatchObject({ code: 4, stdout: '' })
    expect(asAdmin.stderr).toContain('Only an active super-admin')
  })
})

describe('copydesk user', () => {
  it('suspends, reinstates and filters users', async () => {
    using folder = temporaryFolder()
    const { cwd, adminId } = copyInstallation(folder.path)
    const reason = ['--reason', 'left']
    expect(await json(['user', 'suspend', admin.toUpperCase(), ...reason, '--yes'], cwd)).toEqual({
      id: adminId,
      suspended: true,
    })
    expect(await json(['user', 'list', '--status', 'suspended'], cwd)).toMatchObject([{ id: adminId }])
    expect(await json(['user', 'list', '--tenant', 'example.com', '--role', 'member'], cwd)).toEqual([])
    expect(await json(['user', 'reinstate', adminId], cwd)).toEqual({ id: adminId, reinstated: true })
    const again = await cli(['user', 'reinstate', adminId], { cwd })
    expect(again).toMatchObject({ code: 1, stderr: 'error: The user is active, not suspended\n' })
    const last = await cli(['user', 'suspend', 'root@example.com', ...reason, '--yes'], { cwd })
    expect(last).toMatchObject({ code: 1, stdout: '' })
    expect(last.stderr).toContain('last super-admin')
    const unknown = await cli(['user', 'suspend', 'x@example.com', ...reason, '--yes'], { cwd })
    expect(unknown).toMatchObject({ code: 1, stdout: '' })
  })
})

describe('copydesk audit', () => {
  it('lists who did what, filtered by tenant, action, actor and time', async () => {
    using folder = temporaryFolder()
    const { cwd, tenantId, adminId } = copyInstallation(folder.path)
    const all = (await json(['audit'], cwd)) as Array<{ action: string; actor: object }>
    expect(all.map(({ action }) => action)).toEqual(expect.arrayContaining(['tenant.created', 'user.create']))
    expect(all[0]?.actor).toEqual({ id: 'system', type: 'human', name: null })
    const ofAdmin = ['audit', '--tenant', 'example.com', '--action', 'user.create', '--since', '1h']
    expect(await json(ofAdmin, cwd)).toMatchObject([
      { tenantId, resourceId: adminId, after: { role: 'admin' } },
    ])
    expect(await json(['audit', '--actor-type', 'agent'], cwd)).toEqual([])
    expect(await json(['audit', '--since', '2999-01-01'], cwd)).toEqual([])
    expect(await json(['audit', '--limit', '1'], cwd)).toHaveLength(1)
    for (const wrong of [
      ['--since', 'yesterday'],
      ['--since', '3000-01-01'],
      ['--since', '0000-01-01'],
      ['--since', '999999d'],
      ['--limit', '0'],
      ['--actor-type', 'robot'],
    ])
      expect(await cli(['audit', ...wrong], { cwd })).toMatchObject({ code: 2, stdout: '' })
  })
})

describe('tables', () => {
  it('fit 80 columns and keep ids complete', async () => {
    using folder = temporaryFolder()
    const { cwd, tenantId, adminId } = copyInstallation(folder.path)
    await cli(['api-key', 'create', '--user', admin, '--name', 'a rather long name of a key'], { cwd })
    for (const [args, id] of [
      [['tenant', 'list'], tenantId],
      [['tenant', 'show', tenantId], adminId],
      [['user', 'list'], adminId],
      [['api-key', 'list'], ''],
      [['audit'], ''],
    ] as Array<[string[], string]>) {
      const { stdout, code } = await cli(args, { cwd, env: { COLUMNS: '80' } })
      expect({ code, args, width: widest(stdout) <= 80 }).toEqual({ code: 0, args, width: true })
      expect(stdout).toContain(id)
    }
  })
})
