import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { insertRow } from '../../kit/insert-row.ts'
import { createOperator } from '../../kit/operator.ts'
import { addAdMapping } from '../../kit/seeded-ads.ts'
import {
  addAdsCampaign,
  bakeryThere,
  budgetChange,
  type ChangeDesk,
  openChangeDesk,
  statusChange,
} from './change-desk.ts'

const accountId = '2222222222'
let desk: ChangeDesk
let campaignId: string

beforeAll(async () => {
  desk = await openChangeDesk()
  addAdsCampaign(desk.account(), { id: '40', euros: 4, status: 'PAUSED' })
  campaignId = await desk.takeOver(bakeryThere)
})
afterAll(() => desk[Symbol.asyncDispose]())

const limit = async () => (await desk.admin.call('tenant.ads.limits', {})).data[0]
const set = (euros: number) =>
  desk.admin.call('tenant.ads.set_limit', {
    body: { accountId, dailyLimitMicros: euros * 1_000_000, currency: 'EUR' },
  })

describe('tenant.ads.limits', () => {
  it('shows the proposal, what runs, what is planned, and what is left', async () => {
    expect(await limit()).toMatchObject({
      accountId,
      platform: 'search_ads',
      currency: 'EUR',
      dailyLimitMicros: 30_000_000,
      runningMicros: 20_000_000,
      plannedMicros: 0,
      leftMicros: 10_000_000,
      setBy: null,
    })
    const plan = await desk.plan(campaignId, budgetChange(24))
    expect(await limit()).toMatchObject({ plannedMicros: 4_000_000, leftMicros: 6_000_000 })
    await desk.apply(plan)
    expect(await limit()).toMatchObject({
      runningMicros: 24_000_000,
      plannedMicros: 0,
      leftMicros: 6_000_000,
    })
    await desk.apply(await desk.plan(campaignId, statusChange('paused')))
    expect(await limit()).toMatchObject({ runningMicros: 0, leftMicros: 30_000_000 })
    await desk.apply(await desk.plan(campaignId, statusChange('enabled')))
    expect(await limit()).toMatchObject({ runningMicros: 24_000_000, leftMicros: 6_000_000 })
  })

  it('shows the accounts of one campaign, and none of a campaign that runs at no platform', async () => {
    const { member, reviewer, tenantId } = desk.team
    const draft = await member.call('tenant', 'POST /campaigns', {
      body: { name: 'Later', type: 'paid_ads', channel: ['search_ads'], goal: 'leads' },
    })
    const of = async (id: string) =>
      (await reviewer.call('tenant', 'GET /ads/limits', { query: { tenantId, campaignId: id } })).data
    expect(await of(campaignId)).toHaveLength(1)
    expect(await of(draft.id)).toEqual([])
    expect(await of(tenantId)).toEqual([])
  })
})

describe('tenant.ads.set_limit', () => {
  it('is an act of an admin, with before and after on record, and guardrails hold to it', async () => {
    const other = await desk.takeOver('40')
    await set(25)
    expect((await desk.plan(other, statusChange('enabled'))).items[0]?.reason).toContain(
      'needs 4.00 EUR a day more; the limit of the account leaves 1.00 EUR',
    )
    expect(await set(28)).toMatchObject({ dailyLimitMicros: 28_000_000, setBy: expect.any(String) as string })
    expect((await desk.plan(other, statusChange('enabled'))).status).toBe('planned')
    const rows = await desk.app.db.sql.all<{ before: unknown; after: unknown }>(
      "select before, after from audit_records where resource_type = 'ad_limit' order by id",
    )
    const of = { platform: 'search_ads', accountId, currency: 'EUR' }
    const [, last] = rows.map(({ before, after }) => [before, after].map(asObject))
    expect(last).toEqual([
      { ...of, dailyLimitMicros: 25_000_000 },
      { ...of, dailyLimitMicros: 28_000_000 },
    ])
    const { member, reviewer } = desk.team
    for (const client of [member, reviewer])
      await expect(
        client.call('tenant', 'PUT /ads/limits', {
          body: { accountId, dailyLimitMicros: 1_000_000, currency: 'EUR' },
        }),
      ).rejects.toMatchObject({ status: 403 })
    expect((await limit())?.dailyLimitMicros).toBe(28_000_000)
  })

  it('is set where none was known, so that something that costs more can be done again', async () => {
    await desk.app.db.write((tx) => tx.run('delete from ad_limits'))
    expect(await limit()).toMatchObject({ dailyLimitMicros: null, leftMicros: null, setBy: null })
    expect((await desk.plan(campaignId, budgetChange(25))).items[0]?.reason).toContain(
      'No daily limit is known',
    )
    await Promise.allSettled([set(28), set(28)])
    expect(await limit()).toMatchObject({ dailyLimitMicros: 28_000_000 })
    expect((await desk.plan(campaignId, budgetChange(25))).status).toBe('planned')
  })

  it.each<[string, string, object]>([
    ['nothing', 'dailyLimitMicros', { dailyLimitMicros: 0 }],
    ['less than nothing', 'dailyLimitMicros', { dailyLimitMicros: -1 }],
    ['no number', 'dailyLimitMicros', { dailyLimitMicros: Number.NaN }],
    ['a number of 64 bits', 'dailyLimitMicros', { dailyLimitMicros: 2 ** 63 }],
    ['a thousand times too much', 'dailyLimitMicros', { dailyLimitMicros: 2e15 }],
    ['part of a millionth', 'dailyLimitMicros', { dailyLimitMicros: 1.5 }],
    ['another currency', 'currency', { currency: 'USD' }],
    ['no currency', 'currency', { currency: 'Euro' }],
    ['an account that is not there', 'accountId', { accountId: '3333333333' }],
  ])('refuses %s', async (_, field, wrong) => {
    const before = await limit()
    const body = { accountId, dailyLimitMicros: 50_000_000, currency: 'EUR', ...wrong }
    await expect(desk.admin.call('tenant.ads.set_limit', { body })).rejects.toMatchObject({ field })
    expect(await limit()).toEqual(before)
  })
})

describe('admin.ad_limits.list, admin.ad_limits.set', () => {
  it('let an operator see and set the limits of a tenant, for the record as everyone', async () => {
    const { app, team } = desk
    const olga = await createOperator(app)
    const params = { tenantId: team.tenantId }
    const route = 'PUT /tenants/:tenantId/ad-limits'
    const body = { accountId, dailyLimitMicros: 70_000_000, currency: 'EUR' }
    await olga.client.call('admin', route, { params, body })
    const { data } = await olga.client.call('admin', 'GET /tenants/:tenantId/ad-limits', { params })
    expect(data).toMatchObject([{ accountId, dailyLimitMicros: 70_000_000, setBy: 'Olga Operator' }])
    expect(await limit()).toMatchObject({ dailyLimitMicros: 70_000_000 })
    const row = await app.db.sql.get<{ after: unknown }>(
      "select after from audit_records where resource_type = 'ad_limit' and actor_id = ?",
      [olga.id],
    )
    expect(asObject(row?.after)).toMatchObject({ dailyLimitMicros: 70_000_000 })
    const other = await app.team()
    await expect(
      olga.client.call('admin', route, { params: { tenantId: other.tenantId }, body }),
    ).rejects.toMatchObject({ status: 404 })
  })
})

describe('accounts of two platforms with the same id', () => {
  const limits = async () => (await desk.admin.call('tenant.ads.limits', {})).data
  const professional = { accountId, platform: 'professional_ads', currency: 'USD' } as const

  it('have a limit each', async () => {
    const { app, team } = desk
    const own = await limit()
    await addAdMapping(app, team.tenantId, professional)
    expect(await limits()).toMatchObject([
      { ...professional, dailyLimitMicros: null, plannedMicros: 0 },
      { platform: 'search_ads', dailyLimitMicros: own?.dailyLimitMicros },
    ])
    const body = { ...professional, dailyLimitMicros: 1_000_000 }
    const route = 'tenant.ads.set_limit'
    expect(await desk.admin.call(route, { body })).toMatchObject({ ...professional, leftMicros: null })
    const { platform: _, ...unnamed } = body
    await expect(desk.admin.call(route, { body: unnamed })).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      field: 'platform',
    })
    const gone = { ...body, platform: 'social_ads' as const }
    await expect(desk.admin.call(route, { body: gone })).rejects.toMatchObject({ field: 'accountId' })
    expect(await limits()).toMatchObject([{ dailyLimitMicros: 1_000_000 }, own ?? {}])
  })

  it('are planned for, measured and changed by themselves', async () => {
    const { app, team } = desk
    const high = {
      accountId,
      platform: 'search_ads',
      dailyLimitMicros: 100_000_000,
      currency: 'EUR',
    } as const
    await desk.admin.call('tenant.ads.set_limit', { body: high })
    const plan = await desk.plan(campaignId, budgetChange(26))
    expect(plan.status).toBe('planned')
    const planned = async () => (await limits()).map(({ plannedMicros }) => plannedMicros)
    const [ofOther, ofOurs] = await planned()
    expect(ofOther).toBe(0)
    expect(ofOurs).toBeGreaterThan(0)
    // What nobody knows the end of keeps nothing back but its own account.
    const mappingId = await addAdMapping(app, team.tenantId, professional)
    await insertRow(app, team.tenantId, 'ad_change_sets', {
      campaign_id: campaignId,
      mapping_id: mappingId,
      account_id: accountId,
      currency: 'USD',
      title: 'At the other platform',
      source: 'plan',
      status: 'unknown',
      digest: 'e'.repeat(64),
      items: '[]',
      attempt: 1,
      touched: true,
      failures: 0,
      requested_by_id: 'x',
      requested_by_name: 'x',
      created_on: new Date(),
      updated_on: new Date(),
    })
    expect(await desk.apply(plan)).toMatchObject({ status: 'applied' })
    expect(await limits()).toMatchObject([{ runningMicros: null }, { runningMicros: 26_000_000 }])
  })
})

const asObject = (value: unknown): unknown => (typeof value === 'string' ? JSON.parse(value) : value)
