import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sharesOf } from '../../../packages/core/src/domain/insight/costs/queries.ts'
import { createIds } from '../../../packages/core/src/platform/clock.ts'
import { createTestApp, type TestApp } from '../../kit/app.ts'
import { createTestClock } from '../../kit/clock.ts'
import { createOperator } from '../../kit/operator.ts'

const path = '/admin/v1/cost'

interface Spent {
  micros: number
  role?: string
  model?: string | null
  campaignId?: string | null
}

function spend(app: TestApp, tenantId: string, at: number, { micros, role, model, campaignId }: Spent) {
  const id = createIds(createTestClock(at))()
  return app.db.write((tx) =>
    tx.run(
      `insert into runs (id, tenant_id, activity_id, campaign_id, agent_role, model, status, open, wake_reason, wake_note,
         priority, not_before, attempt, cancel_requested, input_tokens, output_tokens, cost_micros, priced, created_on)
       values (?, ?, ?, ?, ?, ?, 'completed', ?, 'new_task', '{}', 0, ?, 1, ?, 10, 5, ?, ?, ?)`,
      [
        id,
        tenantId,
        id,
        campaignId ?? null,
        role ?? 'blog_writer',
        model === undefined ? 'm-1' : model,
        false,
        new Date(at),
        false,
        micros,
        true,
        new Date(at),
      ],
    ),
  )
}

// 10 April 2026, noon in UTC.
const now = Date.UTC(2026, 3, 10, 12)

async function harness() {
  const clock = createTestClock(now)
  const app = await createTestApp({ clock, worker: false })
  const operator = await createOperator(app)
  const get = async (query = '') => (await operator.send('GET', `${path}?${query}`)).json
  return { app, operator, get, [Symbol.asyncDispose]: () => app[Symbol.asyncDispose]() }
}

describe('admin.cost', () => {
  it('covers this month by tenant and day by default', async () => {
    await using it = await harness()
    const one = await it.app.team('Hearth')
    const two = await it.app.team('Oat')
    await spend(it.app, one.tenantId, Date.UTC(2026, 3, 1), { micros: 1_000_001 })
    await spend(it.app, one.tenantId, Date.UTC(2026, 3, 10, 11), { micros: 1 })
    await spend(it.app, two.tenantId, Date.UTC(2026, 3, 3), { micros: 2_000_000 })
    await spend(it.app, two.tenantId, Date.UTC(2026, 2, 31, 23), { micros: 9_000_000 })
    const report = await it.get()
    expect(report.totalUsd).toBe(3.000002)
    expect(report.breakdown).toEqual([
      { key: two.tenantId, label: 'Oat', costUsd: 2, pct: 66.67, runs: 1, inputTokens: 10, outputTokens: 5 },
      {
        key: one.tenantId,
        label: 'Hearth',
        costUsd: 1.000002,
        pct: 33.33,
        runs: 2,
        inputTokens: 20,
        outputTokens: 10,
      },
    ])
    expect(report.dailySeries).toHaveLength(10)
    expect(report.dailySeries.slice(0, 3)).toEqual([
      { date: '2026-04-01', costUsd: 1.000001 },
      { date: '2026-04-02', costUsd: 0 },
      { date: '2026-04-03', costUsd: 2 },
    ])
    expect(report.dailySeries.at(-1)).toEqual({ date: '2026-04-10', costUsd: 0.000001 })
    expect((await it.get('startDate=2026-03-31&endDate=2026-03-31')).totalUsd).toBe(9)
    expect((await it.get('endDate=2026-03-31')).dailySeries).toHaveLength(31)
  })

  it('uses the days of the given tenant’s time zone', async () => {
    await using it = await harness()
    const { tenantId } = await it.app.team('Hearth')
    await it.app.db.write((tx) => tx.run(`update tenants set timezone = 'Asia/Kolkata'`))
    // Half past six in the evening of UTC is midnight there.
    await spend(it.app, tenantId, Date.UTC(2026, 3, 5, 18, 29), { micros: 10 })
    await spend(it.app, tenantId, Date.UTC(2026, 3, 5, 18, 30), { micros: 200 })
    const days = async (query: string) =>
      (await it.get(query)).dailySeries.filter(({ costUsd }: { costUsd: number }) => costUsd > 0)
    expect(await days(`tenantId=${tenantId}`)).toEqual([
      { date: '2026-04-05', costUsd: 0.00001 },
      { date: '2026-04-06', costUsd: 0.0002 },
    ])
    expect(await days('')).toEqual([{ date: '2026-04-05', costUsd: 0.00021 }])
    expect((await it.get(`tenantId=${tenantId}&startDate=2026-04-06&endDate=2026-04-06`)).totalUsd).toBe(
      0.0002,
    )
  })

  it('groups by agent, model or campaign, with the same total for every grouping', async () => {
    await using it = await harness()
    const { tenantId, admin } = await it.app.team('Hearth')
    const { id } = await admin.call('dashboard', 'POST /campaigns', {
      body: { name: 'Spring', brief: 'Oats', deliverables: [{ type: 'blog_post', quantity: 1 }] },
    })
    const at = Date.UTC(2026, 3, 2)
    await spend(it.app, tenantId, at, { micros: 100, campaignId: id })
    await spend(it.app, tenantId, at + 1, { micros: 200, role: 'auditor', model: 'm-2' })
    await spend(it.app, tenantId, at + 2, { micros: 0, model: null })
    const parts = async (groupBy: string) =>
      (await it.get(`groupBy=${groupBy}`)).breakdown.map(({ key, label, pct }: never) => [key, label, pct])
    expect(await parts('agent')).toEqual([
      ['auditor', 'Auditor', 66.67],
      ['blog_writer', 'Blog writer', 33.33],
    ])
    expect(await parts('model')).toEqual([
      ['m-2', 'm-2', 66.67],
      ['m-1', 'm-1', 33.33],
      ['none', 'No model', 0],
    ])
    expect(await parts('campaign')).toEqual([
      ['none', 'No campaign', 66.67],
      [id, 'Spring', 33.33],
    ])
  })

  it('returns zero where nothing was spent, and rejects invalid filters', async () => {
    await using it = await harness()
    expect(await it.get()).toMatchObject({ totalUsd: 0, breakdown: [] })
    for (const [query, field] of [
      ['groupBy=mood', 'groupBy'],
      ['startDate=2026-04-05&endDate=2026-04-04', 'endDate'],
      ['startDate=2020-01-01', 'startDate'],
      ['tenantId=x', 'tenantId'],
    ])
      expect(await it.operator.send('GET', `${path}?${query}`), query).toMatchObject({ status: 400, field })
  })
})

describe('sharesOf', () => {
  it('adds up to exactly 100, each within a hundredth of the exact share', () => {
    const parts = fc.array(fc.nat({ max: 2_000_000_000 }), { minLength: 1, maxLength: 60 })
    fc.assert(
      fc.property(parts, (given) => {
        const total = given.reduce((sum, part) => sum + part, 0)
        const shares = sharesOf(given)
        const hundredths = shares.map((share) => Math.round(share * 100))
        expect(hundredths.reduce((sum, share) => sum + share, 0)).toBe(total === 0 ? 0 : 10_000)
        const off = shares.map((share, at) => Math.abs(share - ((given[at] ?? 0) * 100) / (total || 1)))
        expect(Math.max(...off)).toBeLessThan(0.0100001)
      }),
    )
  })
})
