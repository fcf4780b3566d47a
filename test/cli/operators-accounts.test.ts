import { cpSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cli, setUpIn, silentPort, startCli, temporaryFolder } from './process.ts'

const password = 'a long password'
const root = 'root@example.com'
const admin = 'ada@example.com'

async function json<T = Record<string, unknown>>(
  args: string[],
  cwd: string,
  input?: string,
  env?: Record<string, string>,
): Promise<T> {
  const ended = await cli([...args, '--json'], { cwd, env, ...(input !== undefined && { input }) })
  expect(ended.stderr).not.toContain('error')
  expect(ended.code).toBe(0)
  return JSON.parse(ended.stdout) as T
}

/** An installation with a tenant, its admin, a reviewer and one super-admin, made once and copied for each test. */
const template = temporaryFolder()
let tenantId = ''

beforeAll(async () => {
  const cwd = template.path
  await setUpIn(cwd)
  tenantId = (await json<{ id: string }>(['tenant', 'create', '--name', 'Example Ltd'], cwd)).id
  const user = (email: string, role: string, ...more: string[]) =>
    json(
      ['user', 'create', '--email', email, '--name', 'Ada', '--role', role, '--password-stdin', ...more],
      cwd,
      password,
    )
  await user(admin, 'admin', '--tenant', tenantId)
  await user('mia@example.com', 'member', '--tenant', tenantId)
  await user('rita@example.com', 'reviewer', '--tenant', tenantId)
  await user(root, 'super_admin')
})

afterAll(() => template[Symbol.dispose]())

function harness() {
  const folder = temporaryFolder()
  cpSync(template.path, folder.path, { recursive: true })
  return folder
}

type Send = (route: string, body?: unknown, token?: string) => Promise<{ status: number; json: any }>

/** Runs `work` against a server on the installation. */
async function served<T>(cwd: string, work: (send: Send) => Promise<T>): Promise<T> {
  const running = await startCli(['up', '--port', '0', '--json'], { cwd })
  await running.says('"pid"')
  const { url } = JSON.parse(running.said().stdout) as { url: string }
  try {
    return await work(async (route, body, token) => {
      const [method = 'GET', path = ''] = route.split(' ')
      const answer = await fetch(`${url}${path}`, {
        method,
        headers: {
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...(token && { authorization: `Bearer ${token}` }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
      const text = await answer.text()
      return { status: answer.status, json: text === '' ? undefined : JSON.parse(text) }
    })
  } finally {
    running.child.kill('SIGTERM')
    await running.ended
  }
}

const logIn = (send: Send, email: string, app: string, given = password) =>
  send('POST /auth/v1/login', { email, password: given, app })

describe('copydesk tenant mark-paid', () => {
  it('allows the activation of a tenant, which explains what to do before that', async () => {
    using folder = harness()
    const cwd = folder.path
    const customer = await served(cwd, async (send) => {
      const { accessToken } = (await logIn(send, root, 'manage')).json
      const body = {
        displayName: 'Customer',
        firstName: 'Carl',
        lastName: 'Customer',
        email: 'carl@example.com',
        password,
        customPlanName: 'Own plan',
        customRegionId: 'US',
        customPrice: 1_000,
        customCycle: 'monthly',
      }
      return (await send('POST /admin/v1/tenants', body, accessToken)).json.tenantId as string
    })
    const unpaid = await cli(['tenant', 'activate', customer], { cwd })
    expect(unpaid).toMatchObject({ code: 2, stdout: '' })
    expect(unpaid.stderr).toContain('copydesk tenant mark-paid')
    const markPaid = ['tenant', 'mark-paid', 'Customer', '--reason', 'bank transfer']
    expect(await cli(markPaid, { cwd })).toMatchObject({ code: 2, stdout: '' })
    expect(await json([...markPaid, '--yes'], cwd)).toEqual({
      tenantId: customer,
      action: 'mark_paid',
      applied: true,
      status: 'onboarding',
    })
    expect(await json(['tenant', 'activate', customer], cwd)).toMatchObject({ status: 'active' })
    expect(await json(['audit', '--action', 'billing.override'], cwd)).toMatchObject([
      { after: { action: 'mark_paid', reason: 'bank transfer' } },
    ])
  })
})

describe('copydesk user reset-password', () => {
  it('prints a new password once, also for a super-admin, and ends every session', async () => {
    using folder = harness()
    const cwd = folder.path
    expect(await cli(['user', 'reset-password', root], { cwd })).toMatchObject({ code: 2, stdout: '' })
    const { refreshToken } = await served(cwd, async (send) => (await logIn(send, root, 'manage')).json)
    const plain = await cli(['user', 'reset-password', root, '--yes'], { cwd })
    expect(plain).toMatchObject({ code: 0, stdout: expect.stringMatching(/^[\w-]{24}\n$/) })
    const made = await json<{ password: string }>(['user', 'reset-password', admin, '--yes'], cwd)
    expect(made).toEqual({ id: expect.any(String), email: admin, password: expect.any(String) })
    const given = ['user', 'reset-password', 'mia@example.com', '--password-stdin', '--yes']
    expect(await json(given, cwd, 'another long password')).not.toHaveProperty('password')
    const short = await cli(given, { cwd, input: 'short' })
    expect(short).toMatchObject({ code: 2, stdout: '' })
    await served(cwd, async (send) => {
      expect((await send('POST /auth/v1/refresh', { refreshToken })).status).toBe(401)
      expect((await logIn(send, root, 'manage')).status).toBe(401)
      expect((await logIn(send, root, 'manage', plain.stdout.trim())).status).toBe(200)
      expect((await logIn(send, admin, 'dashboard', made.password)).status).toBe(200)
      expect((await logIn(send, 'mia@example.com', 'dashboard', 'another long password')).status).toBe(200)
    })
    const record = await json<object[]>(['audit', '--action', 'user.reset_password'], cwd)
    expect(record).toHaveLength(3)
    expect(JSON.stringify(record)).not.toContain(made.password)
    await json(['user', 'suspend', admin, '--reason', 'left', '--yes'], cwd)
    const suspended = await cli(['user', 'reset-password', admin, '--yes'], { cwd })
    expect(suspended).toMatchObject({ code: 1, stdout: '' })
    expect(suspended.stderr).toContain('suspended')
  })
})

describe('copydesk user set-role', () => {
  it('changes a role within its kind, keeps the last admin and the last super-admin, and ends sessions', async () => {
    using folder = harness()
    const cwd = folder.path
    const set = (email: string, role: string) => ['user', 'set-role', email, role]
    expect(await cli(set('mia@example.com', 'admin'), { cwd })).toMatchObject({ code: 2, stdout: '' })
    const last = await cli([...set(admin, 'member'), '--yes'], { cwd })
    expect(last).toMatchObject({ code: 1, stdout: '' })
    expect(last.stderr).toContain('last admin')
    const lastRoot = await cli([...set(root, 'reviewer'), '--yes'], { cwd })
    expect(lastRoot).toMatchObject({ code: 1, stdout: '' })
    expect(lastRoot.stderr).toContain('last super-admin')
    const { refreshToken } = await served(
      cwd,
      async (send) => (await logIn(send, 'mia@example.com', 'dashboard')).json,
    )
    const mia = await json([...set('mia@example.com', 'admin'), '--yes'], cwd)
    expect(mia).toEqual({ id: expect.any(String), email: 'mia@example.com', role: 'admin' })
    expect(await json([...set(admin, 'member'), '--yes'], cwd)).toMatchObject({ role: 'member' })
    expect(await json([...set('rita@example.com', 'super_admin'), '--yes'], cwd)).toMatchObject({
      role: 'super_admin',
    })
    expect(await json([...set(root, 'reviewer'), '--yes'], cwd)).toMatchObject({ role: 'reviewer' })
    await served(cwd, async (send) => {
      expect((await send('POST /auth/v1/refresh', { refreshToken })).status).toBe(401)
      expect((await logIn(send, 'rita@example.com', 'manage')).status).toBe(200)
      expect((await logIn(send, root, 'manage')).status).toBe(403)
    })
    for (const [email, role] of [
      [admin, 'super_admin'],
      ['rita@example.com', 'member'],
    ] as const) {
      const crossed = await cli([...set(email, role), '--yes'], { cwd })
      expect(crossed, email).toMatchObject({ stdout: '' })
      expect(crossed.code).not.toBe(0)
      expect(crossed.stderr).toContain('another address')
    }
    expect(await json(['audit', '--action', 'user.set_role'], cwd)).toHaveLength(2)
    expect(await json(['audit', '--action', 'team.change_role'], cwd)).toHaveLength(2)
  })
})

describe('copydesk doctor and config show', () => {
  it('show that registration is closed by default, and its limits', async () => {
    using folder = harness()
    const cwd = folder.path
    const settings = async (env: Record<string, string>) => {
      const { stdout } = await cli(['config', 'show', '--json'], { cwd, env })
      const shown = (JSON.parse(stdout) as { settings: Array<{ name: string; value: unknown }> }).settings
      return Object.fromEntries(shown.map(({ name, value }) => [name, value]))
    }
    expect(await settings({})).toMatchObject({
      registration: 'closed',
      'freeTenants.perDay': 10,
      'freeTenants.monthlyUsd': 50,
    })
    const env = { COPYDESK_REGISTRATION: 'open', COPYDESK_FREE_TENANTS_PER_DAY: '3' }
    expect(await settings(env)).toMatchObject({ registration: 'open', 'freeTenants.perDay': 3 })
    await using port = await silentPort()
    const { findings } = await json<{ findings: object[] }>(['doctor'], cwd, undefined, port.env)
    expect(findings).toContainEqual({
      name: 'registration',
      ok: true,
      message: expect.stringMatching(/^closed/),
    })
    const open = await cli(['doctor'], { cwd, env: { ...env, ...port.env } })
    expect(open).toMatchObject({ code: 1, stdout: expect.stringContaining('WRONG  registration: open') })
    const odd = await cli(['config', 'show'], { cwd, env: { COPYDESK_FREE_TENANTS_MONTHLY_USD: 'much' } })
    expect(odd).toMatchObject({ code: 2, stdout: '' })
    expect(odd.stderr).toContain('freeTenants.monthlyUsd')
  })
})
