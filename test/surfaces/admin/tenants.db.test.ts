import { describe, expect, it } from 'vitest'
import { createIds } from '../../../packages/core/src/platform/clock.ts'
import { createTestApp, type TestApp } from '../../kit/app.ts'
import { createTestClock } from '../../kit/clock.ts'
import { createOperator } from '../../kit/operator.ts'
import { measureTurns } from '../../kit/turns.ts'

const unknownId = '01ARZ3NDEKTSV4RRFFQ69G5FAV'
const invalid = { status: 400, code: 'VALIDATION_ERROR' }

/** Some companies, the oldest first. */
async function companies(app: TestApp) {
  const { tenants } = app.copydesk.asSystem()
  const made = [
    await tenants.create({ name: 'Hearth & Oat', domain: 'hearth.example', plan: 'pro' }),
    await tenants.create({ name: 'Müller Söhne', domain: 'mueller.example', plan: 'free' }),
    await tenants.create({ name: 'Northwind Traders', plan: 'agency' }),
  ]
  return made.map(({ id }) => id) as [string, string, string]
}

describe('admin.tenants.list', () => {
  it('does not block other requests during a fuzzy search over thousands of tenants', async () => {
    await using app = await createTestApp({ worker: false })
    const operator = await createOperator(app)
    const newId = createIds(createTestClock())
    const now = new Date()
    const batches = 8
    await app.db.write(async (tx) => {
      for (let n = 0; n < batches * 500; n += 1)
        await tx.run(
          `insert into tenants (id, name, domain, plan, status, timezone, feature_flags, created_on, updated_on)
           values (?, ?, null, 'free', 'active', 'UTC', '{}', ?, ?)`,
          [newId(), `${'bcdefghi '.repeat(20)}${n}`, now, now],
        )
    })
    const search = encodeURIComponent('qrstuvwx '.repeat(20).trim())
    const list = () => operator.send('GET', '/admin/v1/tenants?limit=1')
    // The first request verifies the token, which takes turns of its own.
    await list()
    const quiet = await measureTurns(list)
    const { value, turns, longestMs } = await measureTurns(() =>
      operator.send('GET', `/admin/v1/tenants?search=${search}`),
    )
    expect(value.json.data).toEqual([])
    expect(turns).toBeGreaterThanOrEqual(quiet.turns + batches - 1)
    expect(longestMs).toBeLessThan(250)
  })

  it('lists each tenant with its counts and its cost of this month in its time zone', async () => {
    const clock = createTestClock(Date.UTC(2026, 3, 1, 3))
    await using app = await createTestApp({ clock, worker: false })
    const operator = await createOperator(app)
    const { tenantId, admin } = await app.team('Hearth')
    const brief = {
      name: 'Spring',
      brief: 'Oats',
      deliverables: [{ type: 'blog_post' as const, quantity: 1 }],
    }
    await admin.call('dashboard', 'POST /campaigns', { body: brief })
    const spend = (micros: number, at: number) => {
      const id = createIds(createTestClock(at))()
      return app.db.write((tx) =>
        tx.run(
          `insert into runs (id, tenant_id, activity_id, agent_role, status, open, wake_reason, wake_note, priority, not_before,
             attempt, cancel_requested, input_tokens, output_tokens, cost_micros, priced, created_on)
           values (?, ?, ?, 'blog_writer', 'completed', ?, 'new_task', '{}', 0, ?, 1, ?, 0, 0, ?, ?, ?)`,
          [id, tenantId, id, false, new Date(at), false, micros, true, new Date(at)],
        ),
      )
    }
    // April began in London, the zone of the team, an hour before it did in UTC.
    await spend(1_250_000, Date.UTC(2026, 2, 31, 23, 30))
    await spend(7_000_000, Date.UTC(2026, 2, 31, 22, 30))
    const { json } = await operator.send('GET', '/admin/v1/tenants')
    expect(json).toEqual({
      data: [
        {
          id: tenantId,
          name: 'Hearth',
          domain: null,
          plan: 'pro',
          status: 'active',
          monthlySpendUsd: 1.25,
          spendCapUsd: null,
          agentCount: expect.any(Number),
          userCount: 2,
          campaignCount: 1,
          createdOn: clock.date().toISOString(),
        },
      ],
      pagination: { hasMore: false, nextCursor: null },
    })
    expect(json.data[0].agentCount).toBeGreaterThan(0)
  })

  it('filters by state and plan, and returns each tenant once over all pages', async () => {
    await using app = await createTestApp({ worker: false })
    const operator = await createOperator(app)
    const [first, second, third] = await companies(app)
    const ids = async (query: string) =>
      (await operator.send('GET', `/admin/v1/tenants?${query}`)).json.data.map(({ id }: { id: string }) => id)
    expect(await ids('')).toEqual([third, second, first])
    expect(await ids('order=asc')).toEqual([first, second, third])
    expect(await ids('filter.plan=free')).toEqual([second])
    await operator.send('POST', `/admin/v1/tenants/${third}/suspend`, { reason: 'test' })
    expect(await ids('filter.status=suspended')).toEqual([third])
    expect(await ids('filter.status=active&filter.plan=pro')).toEqual([first])
    const seen: string[] = []
    for (let cursor = ''; ; ) {
      const { json } = await operator.send('GET', `/admin/v1/tenants?limit=1${cursor}`)
      seen.push(...json.data.map(({ id }: { id: string }) => id))
      if (!json.pagination.hasMore) break
      cursor = `&cursor=${json.pagination.nextCursor}`
    }
    expect(seen).toEqual([third, second, first])
  })

  it('finds names and domains despite typing errors, page by page', async () => {
    await using app = await createTestApp({ worker: false })
    const operator = await createOperator(app)
    const [first, second, third] = await companies(app)
    const find = async (search: string, more = '') => {
      const query = `search=${encodeURIComponent(search)}${more}`
      const { json } = await operator.send('GET', `/admin/v1/tenants?${query}`)
      return json.data.map(({ id }: { id: string }) => id)
    }
    expect(await find('hearth')).toEqual([first])
    expect(await find('HEARHT oat')).toEqual([first])
    expect(await find('muller sohne')).toEqual([second])
    expect(await find('MÜLLER')).toEqual([second])
    expect(await find('nortwhind')).toEqual([third])
    expect(await find('mueller.ex')).toEqual([second])
    expect(await find('.example')).toEqual([second, first])
    expect(await find('%')).toEqual([])
    expect(await find('zebra')).toEqual([])
    expect(await find('example', '&filter.plan=pro')).toEqual([first])
    const page = await operator.send('GET', '/admin/v1/tenants?search=example&limit=1')
    expect(page.json.pagination).toEqual({ hasMore: true, nextCursor: second })
    expect(await find('example', `&limit=1&cursor=${second}`)).toEqual([first])
  })

  it.each([
    'limit=0',
    'limit=101',
    'filter.status=gone',
    'filter.plan=gold',
    'cursor=x',
    'order=up',
    'search=',
  ])('refuses %s', async (query) => {
    await using app = await createTestApp({ worker: false })
    const operator = await createOperator(app)
    const [field] = query.split('=')
    expect(await operator.send('GET', `/admin/v1/tenants?${query}`)).toMatchObject({ ...invalid, field })
  })

  it('allows 120 requests a minute and a burst of 24', async () => {
    await using app = await createTestApp({ clock: createTestClock(), worker: false })
    const operator = await createOperator(app)
    const headers = { authorization: `Bearer ${operator.token}` }
    const statuses = new Map<number, number>()
    let limit: string | null = null
    for (let i = 0; i < 150; i += 1) {
      const response = await app.fetch('/admin/v1/api-keys', { headers })
      statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1)
      limit = response.headers.get('x-ratelimit-limit')
    }
    expect(limit).toBe('120')
    expect([...statuses]).toEqual([
      [200, 144],
      [429, 6],
    ])
  })

  it('requires a super-admin with the app manage', async () => {
    await using app = await createTestApp({ worker: false })
    const operator = await createOperator(app)
    const { adminToken } = await app.team()
    const path = '/admin/v1/tenants'
    expect(await operator.send('GET', path, undefined, adminToken)).toMatchObject({
      status: 403,
      code: 'FORBIDDEN',
    })
    await app.db.write((tx) =>
      tx.run('update users set app_access = ? where id = ?', ['["dm-portal"]', operator.id]),
    )
    const { accessToken } = await app
      .clientFor()
      .call('auth', 'POST /refresh', { body: { refreshToken: operator.refreshToken } })
    expect(await operator.send('GET', path, undefined, accessToken)).toMatchObject({
      status: 403,
      code: 'FORBIDDEN',
    })
    expect((await operator.send('GET', path)).status).toBe(200)
  })
})

describe('admin.tenants.get', () => {
  it('returns usage, billing, agents and users, and no secret', async () => {
    const clock = createTestClock()
    await using app = await createTestApp({ clock, worker: false })
    const operator = await createOperator(app)
    const { tenantId, adminId } = await app.team('Hearth')
    const { status, json, text } = await operator.send('GET', `/admin/v1/tenants/${tenantId}`)
    expect(status).toBe(200)
    expect(json).toMatchObject({
      id: tenantId,
      name: 'Hearth',
      domain: null,
      plan: 'pro',
      status: 'active',
      spendCapUsd: null,
      featureFlags: {},
      deploymentMode: 'local',
      usage: { monthlySpendUsd: 0, monthlyLlmCallCount: 0, totalActivities: 0, storageBytes: 0 },
      billing: {},
      timezone: 'Europe/London',
      createdOn: clock.date().toISOString(),
    })
    expect(json.users).toHaveLength(2)
    expect(json.users[0]).toEqual({
      id: adminId,
      email: 'admin.0.hearth@test.example',
      name: 'Ada Admin',
      role: 'admin',
      status: 'active',
      lastLoginAt: clock.date().toISOString(),
      createdOn: clock.date().toISOString(),
    })
    expect(json.agents[0]).toEqual({
      id: expect.any(String),
      role: expect.any(String),
      status: 'idle',
      runningCount: 0,
      model: expect.any(String),
      adapterType: expect.any(String),
      toolNames: expect.any(Array),
      skillIds: expect.any(Array),
      concurrency: expect.any(Number),
      isGlobalDefault: true,
    })
    expect(text).not.toMatch(/argon2|password|promptTemplate/i)
  })

  it('returns 404 for unknown tenants', async () => {
    await using app = await createTestApp({ worker: false })
    const operator = await createOperator(app)
    for (const id of [unknownId, 'x'])
      expect(await operator.send('GET', `/admin/v1/tenants/${id}`)).toMatchObject({
        status: 404,
        code: 'NOT_FOUND',
      })
  })
})
