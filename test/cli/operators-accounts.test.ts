import { cpSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cli, setUpIn, startCli, temporaryFolder } from './process.ts'

const password = 'a long password'
const root = 'root@example.com'
const admin = 'ada@example.com'

async function json<T = Record<string, unknown>>(args: string[], cwd: string, input?: string): Promise<T> {
  const ended = await cli([...args, '--json'], { cwd, ...(input !== undefined && { input }) })
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

function desk() {
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
  it('lets a tenant be activated, which says what to do while it has not paid', async () => {
    using folder = desk()
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
