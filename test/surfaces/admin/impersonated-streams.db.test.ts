import { describe, expect, it } from 'vitest'
import { createTestApp, type TestApp } from '../../kit/app.ts'
import { createTestClock } from '../../kit/clock.ts'
import { createOperator, type Operator, sendTo } from '../../kit/operator.ts'

/** Begins an impersonation. @returns its token, and what ends it */
type Begin = (
  app: TestApp,
  operator: Operator,
  tenantId: string,
) => Promise<{ token: string; end(): Promise<unknown> }>

const byLogin = async (operator: Operator, tenantId: string) => {
  const { json } = await operator.send('POST', `/admin/v1/tenants/${tenantId}/impersonate`)
  return json.impersonationToken as string
}

const byKey: Begin = async (app, operator, tenantId) => {
  const { apiKeys } = app.copydesk.asSystem()
  const { id, key } = await apiKeys.create({ userId: operator.id, name: 'shell' })
  const asked = { token: key, scheme: 'ApiKey', body: { tenantId } }
  const { json } = await sendTo(app, 'POST', '/cli/v1/impersonate', asked)
  return { token: json.impersonationToken as string, end: () => apiKeys.revoke(id) }
}

const byProgram: Begin = async (app, operator, tenantId) => {
  const { tenants, users } = app.copydesk.asSystem()
  const { impersonationToken: token } = await tenants.impersonate(tenantId, { as: operator.id })
  return { token, end: () => users.resetPassword(operator.id) }
}

const ways: Array<[string, Begin]> = [
  [
    'its super-admin logs out',
    async (_app, operator, tenantId) => ({
      token: await byLogin(operator, tenantId),
      end: () => operator.send('POST', '/auth/v1/logout'),
    }),
  ],
  ['the API key that it was asked for with is revoked', byKey],
  ['the sessions of its super-admin end, where a program has asked for it', byProgram],
]

const paths = ['/dashboard/v1/events/stream', '/tenant/v1/notifications/stream', '/mobile/v1/events/stream']

describe('a stream under impersonation', () => {
  it.each(ways)('ends when %s, on every server, and leaves the streams of others open', async (_, begin) => {
    const clock = createTestClock()
    await using app = await createTestApp({ clock, worker: false })
    const other = await app.another({ worker: false })
    const operator = await createOperator(app)
    const team = await app.team()
    const { token, end } = await begin(app, operator, team.tenantId)
    const bearer = (one: string) => ({ headers: { authorization: `Bearer ${one}` } })
    const open = (one: string, path: string) => app.fetch(path, bearer(one))
    const elsewhere = await other.fetch(new Request(`http://copydesk.test${paths[0]}`, bearer(token)))
    const streams = [elsewhere, ...(await Promise.all(paths.map((path) => open(token, path))))]
    const own = await open(team.adminToken, paths[0] ?? '')
    expect([own, ...streams].map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
    await end()
    // Servers on SQLite look once a second for what another one has written; a heartbeat, which would end streams too, comes later.
    clock.advance(1_100)
    // Each of them would be read for ever otherwise.
    const texts = await Promise.all(streams.map((stream) => stream.text()))
    expect(texts.join('')).not.toContain('error')
    const reader = own.body?.getReader()
    const isOpen = Symbol('open')
    const ended = async () => {
      while (reader && !(await reader.read()).done);
    }
    expect(await Promise.race([ended(), new Promise((done) => setImmediate(done, isOpen))])).toBe(isOpen)
    await reader?.cancel()
  })
})
