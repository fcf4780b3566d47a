import type { ApiError } from '@copydesk/client'
import { describe, expect, it } from 'vitest'
import { firstDayOf, shareUsed } from '../../../packages/core/src/domain/insight/analytics/spend.ts'
import { createIds } from '../../../packages/core/src/platform/clock.ts'
import { brief, createTestApp, type TestApp } from '../../kit/app.ts'
import { createTestClock } from '../../kit/clock.ts'
import { agentOf, createTestRuntime } from '../../kit/runtime.ts'

const refusal = (call: Promise<unknown>) =>
  call.then(
    () => 'was not refused',
    (error: ApiError) => ({ status: error.status, code: error.code, field: error.field }),
  )

/** A run that has cost something; `activityId` gives it a type of piece. */
function spend(app: TestApp, tenantId: string, at: number, micros: number, role = 'blog_writer') {
  const id = createIds(createTestClock(at))()
  return app.db.write((tx) =>
    tx.run(
      `insert into runs (id, tenant_id, activity_id, agent_role, model, status, open, wake_reason, wake_note, priority,
         not_before, attempt, cancel_requested, input_tokens, output_tokens, cost_micros, priced, created_on, started_at)
       values (?, ?, ?, ?, 'm-1', 'completed', ?, 'new_task', '{}', 0, ?, 1, ?, 10, 5, ?, ?, ?, ?)`,
      [id, tenantId, id, role, false, new Date(at), false, micros, true, new Date(at), new Date(at)],
    ),
  )
}

describe('dashboard.analytics.spend', () => {
  it('covers the tenant only, by days and periods of its time zone, exact to the micro-dollar', async () => {
    // Wednesday, 1 April 2026, 00:30 in London, where summer has begun; in UTC it is still March.
    const now = Date.UTC(2026, 2, 31, 23, 30)
    await using app = await createTestApp({ clock: createTestClock(now), worker: false })
    const { admin, member, tenantId } = await app.team()
    const theirs = await app.team()
    await spend(app, tenantId, Date.UTC(2026, 2, 31, 23, 10), 1_000_001)
    await spend(app, tenantId, Date.UTC(2026, 2, 31, 23, 20), 2_000_000, 'ads_writer')
    await spend(app, tenantId, Date.UTC(2026, 2, 31, 22, 50), 4_000_000)
    await spend(app, tenantId, Date.UTC(2026, 2, 30, 0, 0), 8_000_000)
    await spend(app, tenantId, Date.UTC(2026, 0, 1), 16_000_000)
    await spend(app, theirs.tenantId, Date.UTC(2026, 2, 31, 23, 20), 500_000_000)
    const read = (query: object = {}) => member.call('dashboard', 'GET /analytics/spend', { query })
    const month = await read()
    expect(month).toEqual({
      totalUsd: 3.000001,
      breakdown: [
        { label: 'Ads writer', costUsd: 2, pct: 66.67 },
        { label: 'Blog writer', costUsd: 1.000001, pct: 33.33 },
      ],
      dailySeries: [{ date: '2026-04-01', costUsd: 3.000001 }],
    })
    expect((await read({ period: 'day' })).totalUsd).toBe(3.000001)
    expect((await read({ period: 'week' })).totalUsd).toBe(15.000001)
    expect((await read({ period: 'quarter' })).totalUsd).toBe(3.000001)
    const march = await read({ startDate: '2026-03-01', endDate: '2026-03-31', groupBy: 'model' })
    expect(march).toMatchObject({ totalUsd: 12, breakdown: [{ label: 'm-1', pct: 100 }] })
    expect(march.dailySeries).toHaveLength(31)
    expect((await read({ groupBy: 'campaign' })).breakdown).toEqual([
      { label: 'No campaign', costUsd: 3.000001, pct: 100 },
    ])
    expect((await read({ groupBy: 'deliverable_type' })).breakdown[0]?.label).toBe('No deliverable')
    await app.db.write((tx) =>
      tx.run('update tenants set spend_cap_micros = 9000000 where id = ?', [tenantId]),
    )
    const budget = { budgetCapUsd: 9, budgetUsedPct: 33.33 }
    expect(await read({ startDate: '2026-01-01', endDate: '2026-01-31' })).toMatchObject(budget)
    await app.db.write((tx) => tx.run('update tenants set spend_cap_micros = 0 where id = ?', [tenantId]))
    expect(await read()).toMatchObject({ budgetCapUsd: 0, budgetUsedPct: 100 })
    const wrong = (field: string) => ({ status: 400, code: 'VALIDATION_ERROR', field })
    expect(await refusal(read({ groupBy: 'tenant' }))).toEqual(wrong('groupBy'))
    expect(await refusal(read({ period: 'year' }))).toEqual(wrong('period'))
    expect(await refusal(read({ startDate: '2026-02-02', endDate: '2026-02-01' }))).toEqual(wrong('endDate'))
    expect(
      await refusal(admin.call('dashboard', 'GET /analytics/spend', { query: { startDate: '1.1.2026' } })),
    ).toEqual(wrong('startDate'))
  })

  it.each([
    ['day', '2026-05-31', '2026-05-31'],
    ['week', '2026-05-31', '2026-05-25'],
    ['week', '2026-06-01', '2026-06-01'],
    ['week', '2027-01-01', '2026-12-28'],
    ['month', '2026-02-28', '2026-02-01'],
    ['quarter', '2026-03-31', '2026-01-01'],
    ['quarter', '2026-12-01', '2026-10-01'],
  ] as const)('knows when the %s of %s began', (period, day, first) => {
    expect(firstDayOf(period, day)).toBe(first)
  })

  it('never rounds a cap up to fully used', () => {
    expect(shareUsed(999_999_999, 1_000_000_000)).toBe(99.99)
    expect(shareUsed(2, 1)).toBe(100)
  })
})

const days = (n: number) => new Date(Date.now() + n * 86_400_000).toISOString().slice(0, 10)

describe('dashboard.analytics.performance', () => {
  it('computes each goal from results, verdicts and cost, with the previous period', async () => {
    await using runtime = await createTestRuntime()
    await using app = await createTestApp({ allowHosts: ['127.0.0.1'] })
    const { admin, member, tenantId } = await app.team()
    const theirs = await app.team()
    await spend(app, theirs.tenantId, Date.now() - 3_600_000, 7_000_000)
    await app.copydesk.asSystem({ tenantId }).agents.configure('social_writer', {
      adapterType: 'adapter_b',
      adapterConfig: { webhookUrl: runtime.url },
      concurrency: 10,
    })
    await admin.call('dashboard', 'POST /campaigns', {
      body: { name: 'Spring', brief, deliverables: [{ type: 'social_post', quantity: 3 }] },
    })
    for (const text of ['One', 'Two', 'Three']) await agentOf(app, await runtime.next()).deliver(text)
    const pending = (count: number) =>
      app.until(async () => {
        const query = { 'filter.status': 'pending' } as const
        const { data } = await admin.call('dashboard', 'GET /approvals', { query })
        return data.length === count && data
      }, 'approvals are pending')
    const decide = (approvalId: string, resolution: 'approved' | 'rejected') =>
      admin.call('dashboard', 'POST /approvals/:approvalId/resolve', {
        params: { approvalId },
        body: { resolution, note: 'So' },
      })
    const [one, two, three] = (await pending(3)).map(({ id }) => id)
    const end = async () =>
      agentOf(app, await runtime.next()).call('POST /runs/:runId/result', {
        status: 'success',
        metadata: { nothingToDo: true },
      })
    await decide(one ?? '', 'approved')
    await end()
    await decide(two ?? '', 'rejected')
    await agentOf(app, await runtime.next()).deliver('Two, better')
    await decide((await pending(2)).find(({ id }) => id !== three)?.id ?? '', 'approved')
    await end()
    await decide(three ?? '', 'rejected')
    const period = { periodStart: days(-5), periodEnd: days(5) }
    const set = (
      metric: 'pieces_finished' | 'first_pass_rate' | 'spend_usd',
      targetValue: number,
      more = period,
    ) => member.call('tenant', 'POST /goals', { body: { title: metric, metric, targetValue, ...more } })
    await set('pieces_finished', 8)
    await set('first_pass_rate', 50)
    await set('spend_usd', 1.5)
    const coming = { periodStart: days(20), periodEnd: days(30) }
    await set('pieces_finished', 8, coming)
    await spend(app, tenantId, Date.now() - 3_600_000, 3_000_000)
    // As much of the period before: more was spent then.
    await spend(app, tenantId, Date.now() - 12 * 86_400_000, 4_000_000)
    const read = async (query: { 'filter.metric'?: 'spend_usd' } = {}) =>
      (await member.call('dashboard', 'GET /analytics/performance', { query })).data
    const finished = { currentValue: 2, progressPct: 25, trendDirection: 'up' }
    const done = await app.until(async () => {
      const found = await read()
      return found.some(({ currentValue }) => currentValue === 2) && found
    }, 'two pieces are done')
    expect(done).toMatchObject([
      { metric: 'pieces_finished', currentValue: 0, progressPct: 0, trendDirection: 'flat' },
      { metric: 'spend_usd', currentValue: 3, progressPct: 100, trendDirection: 'down' },
      { metric: 'first_pass_rate', currentValue: 33.33, progressPct: 66.66, trendDirection: 'up' },
      { metric: 'pieces_finished', ...finished, period: { start: days(-5), end: days(5) } },
    ])
    // What was done before the period began, and after as much of the one before, counts for neither.
    await app.db.write((tx) =>
      tx.run('update activities set completed_at = ? where tenant_id = ? and is_final_step = true', [
        new Date(Date.now() - 7 * 86_400_000),
        tenantId,
      ]),
    )
    expect((await read()).at(-1)).toMatchObject({ currentValue: 0, trendDirection: 'flat' })
    expect(await read({ 'filter.metric': 'spend_usd' })).toHaveLength(1)
    const query = { 'filter.metric': 'happiness' } as never
    expect(await refusal(member.call('dashboard', 'GET /analytics/performance', { query }))).toMatchObject({
      status: 400,
      field: 'filter.metric',
    })
    expect((await theirs.member.call('dashboard', 'GET /analytics/performance')).data).toEqual([])
  })
})
