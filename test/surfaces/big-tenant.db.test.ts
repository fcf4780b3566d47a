import type { EndpointInfo } from '@copydesk/core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Assembled } from '../../packages/core/src/composition/assemble.ts'
import type { Ctx, Principal } from '../../packages/core/src/kernel/context.ts'
import { parts } from '../domain/agents.ts'
import { createTestApp, type Team, type TestApp } from '../kit/app.ts'
import { bigId, fillBigTenant } from '../kit/big-tenant.ts'
import { createTestClock, type TestClock } from '../kit/clock.ts'
import { createRowInserter } from '../kit/feed-rows.ts'
import { planFaults, type Ran, recordSql } from '../kit/plans.ts'
import { subscribe } from '../kit/subscriptions.ts'
import { lists, queriesOf, readAll, schemaOf } from './big-lists.ts'

/** At a tenant with the work of years and a neighbour beside it. */

const bigTables = ['activities', 'approvals', 'approval_links']

let app: TestApp
let clock: TestClock
let team: Team
let assembled: Assembled & AsyncDisposable
let neighbourId: string

beforeAll(async () => {
  clock = createTestClock()
  app = await createTestApp({ clock, worker: false })
  team = await app.team()
  const neighbour = await app.team()
  neighbourId = neighbour.tenantId
  await app.copydesk.asSystem().users.assign(team.reviewerId, neighbourId)
  await fillBigTenant(app.db, team.tenantId, { neighbours: [neighbourId], share: 10, now: clock.now() })
  await subscribe(app, team.tenantId)
  assembled = await parts(app)
}, 120_000)

afterAll(async () => {
  await assembled?.[Symbol.asyncDispose]()
  await app[Symbol.asyncDispose]()
})

/** Runs what stands behind an endpoint, and gives the statements that it runs. */
async function runs(info: EndpointInfo, raw: Record<string, string>, scope = [team.tenantId]) {
  const { definition, surface } = info
  const actor: Principal =
    surface === 'dm' || surface === 'cli'
      ? { id: team.reviewerId, type: 'human', role: 'reviewer', appAccess: ['dm-portal'] }
      : { id: team.adminId, type: 'human', role: 'admin', tenantId: team.tenantId, appAccess: ['dashboard'] }
  const ctx = assembled.contextFor({ actor, scope })
  const { sql, ran } = recordSql(ctx.sql)
  const own: Ctx = { ...ctx, sql, db: { ...ctx.db, sql } }
  const { required = [] } = schemaOf(definition)
  const named = required.includes('tenantId') ? { tenantId: team.tenantId, ...raw } : raw
  const reply = await definition.run(own, {
    params: { campaignId: bigId('C', 7), deliverableId: bigId('D', 7) },
    query: definition.query?.parse(named),
    body: undefined,
    headers: {},
    remote: undefined,
    viaProxy: false,
    ip: '127.0.0.1',
    userAgent: '',
  })
  return { ran, reply: reply as { pagination?: { nextCursor: string | null } } }
}

describe.each(lists.map((info) => [info.id, info] as const))('%s', (_, info) => {
  it('uses an index, in its order, and reads no more rows than it returns, with every filter and on every page', async () => {
    const seen = new Set<string>()
    const faults: string[] = []
    for (const query of queriesOf(info)) {
      const { ran, reply } = await runs(info, query)
      const next = reply.pagination?.nextCursor
      const again = next ? (await runs(info, { ...query, cursor: next })).ran : []
      // Reviewers see several tenants at once. What waits at them SQLite sorts, as it is little.
      const isSorted = app.db.dialect === 'sqlite' && ['dm.feed.list', 'cli.queue'].includes(info.id)
      const both =
        ['dm', 'cli'].includes(info.surface) && !isSorted
          ? (await runs(info, query, [team.tenantId, neighbourId])).ran
          : []
      for (const one of [...ran, ...again, ...both]) {
        // Apps that page by place are told how many there are: that is counted.
        if (one.text.startsWith('select count(*) as "total" from')) continue
        // The same statement has one plan on SQLite; on PostgreSQL it is what the values make of it.
        const key = app.db.dialect === 'sqlite' ? one.text : one.text + JSON.stringify(one.params)
        if (seen.has(key)) continue
        seen.add(key)
        for (const fault of await planFaults(app.db, one, bigTables))
          faults.push(`${JSON.stringify(query)}: ${fault} in ${one.text}`)
      }
    }
    expect(faults).toEqual([])
  })
})

describe('a list of campaigns', () => {
  it.each(['dashboard.campaigns.list', 'mobile.campaigns.list'])(
    'counts pending approvals by campaign, and not those of the whole tenant: %s',
    async (id) => {
      const info = lists.find((one) => one.id === id) as EndpointInfo
      const { ran } = await runs(info, {})
      const counting = ran.find(({ text }) => text.includes('from approvals')) as Ran
      const explain = app.db.dialect === 'sqlite' ? 'explain query plan' : 'explain'
      const plan = JSON.stringify(await app.db.sql.all(`${explain} ${counting.text}`, counting.params))
      expect(plan).toContain('approvals_waiting_by_campaign')
    },
  )
})

describe('a list', () => {
  const count = async (text: string) =>
    Number((await app.db.sql.get<{ n: number }>(`select count(*) as n from ${text}`, [team.tenantId]))?.n)

  it('returns a total that equals the number of its rows', async () => {
    const pending = await count(`approvals where status = 'pending' and tenant_id = ?`)
    const risky = await count(`approvals where status = 'pending' and risk_rank = 1 and tenant_id = ?`)
    expect([pending, risky]).toEqual([2_000, 666])
    const stats = await team.admin.call('dashboard', 'GET /approvals/stats', {})
    const week = new Date(clock.now() - 7 * 86_400_000)
    const resolved = await app.db.sql.get<{ n: number }>(
      `select count(*) as n from approvals where tenant_id = ? and resolved_at >= ?`,
      [team.tenantId, week],
    )
    const soon = await app.db.sql.get<{ n: number }>(
      `select count(*) as n from approvals where tenant_id = ? and status = 'pending' and expires_at <= ?`,
      [team.tenantId, new Date(clock.now() + 86_400_000)],
    )
    expect(stats).toEqual({
      pending,
      highRisk: risky,
      expiringIn24h: Number(soon?.n),
      resolvedThisWeek: Number(resolved?.n),
    })
    expect(stats.resolvedThisWeek).toBeGreaterThan(100)
    const { tenants } = await team.reviewer.call('dm', 'GET /overview', {})
    expect(tenants).toMatchObject([
      {
        tenantId: team.tenantId,
        pendingApprovals: pending,
        highRiskApprovals: risky,
        activitiesInProgress: 2_000,
        activitiesBlocked: 2_000,
      },
      { tenantId: neighbourId, pendingApprovals: 200, activitiesInProgress: 200, activitiesBlocked: 200 },
    ])
    const { data } = await team.admin.call('dashboard', 'GET /campaigns', { query: { limit: 2 } })
    expect(data).toMatchObject([
      { activityCount: { total: 200 }, spentUsd: 0.2 },
      { activityCount: { total: 200 }, spentUsd: 0.2 },
    ])
  })

  it('returns every existing item once, although rows are added meanwhile', async () => {
    const insert = createRowInserter(app, clock)
    const { tenantId } = team
    const add = async () => {
      await insert.approval(tenantId, 'new', 'high', 30)
      await insert.approval(tenantId, 'new', 'low', 30)
      await insert.blocked(tenantId, 'new', 2_000)
      await insert.blocked(tenantId, 'new', 0)
    }
    const ids = async (text: string, more: Date[] = []) =>
      (await app.db.sql.all<{ id: string }>(`select id from ${text}`, [tenantId, ...more])).map(
        ({ id }) => id,
      )
    const sizes = [97, 100, 3, 64]
    const dashboard = ['GET /approvals', 'GET /activities'] as const
    for (const order of ['asc', 'desc'] as const)
      for (const route of dashboard) {
        const table = route === 'GET /approvals' ? 'approvals' : 'activities'
        const status = table === 'approvals' ? ('pending' as const) : ('blocked' as const)
        const before = await ids(`${table} where status = '${status}' and tenant_id = ?`)
        const seen = await readAll(
          clock,
          (query) =>
            team.admin.call('dashboard', route, {
              query: { ...query, order, 'filter.status': status },
            } as never),
          sizes,
          add,
        )
        expect(new Set(seen).size).toBe(seen.length)
        expect(before.filter((id) => !seen.includes(id))).toEqual([])
      }
    for (const sortBy of ['risk_then_age', 'age', 'created_on'] as const) {
      const before = await ids(`approvals where status = 'pending' and tenant_id = ?`)
      const seen = await readAll(
        clock,
        (query) =>
          team.reviewer.call('dm', 'GET /approvals', {
            query: { ...query, sortBy, tenantId, 'filter.status': 'pending' },
          }),
        sizes,
        add,
      )
      expect(new Set(seen).size).toBe(seen.length)
      expect(before.filter((id) => !seen.includes(id))).toEqual([])
    }
    // What expires while it is read is left out.
    const lasting = new Date(clock.now() + 3_600_000)
    const before = [
      ...(await ids(`approvals where status = 'pending' and tenant_id = ? and expires_at > ?`, [lasting])),
      ...(await ids(`activities where status = 'blocked' and tenant_id = ?`)),
    ]
    const seen = await readAll(
      clock,
      (query) => team.admin.call('dashboard', 'GET /feed', { query }),
      sizes,
      add,
    )
    expect(new Set(seen).size).toBe(seen.length)
    expect(before.filter((id) => !seen.includes(id))).toEqual([])
  })
})
