import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createMetaAdsServer, type MetaAdsServer } from '../../kit/meta-ads-server.ts'
import { openPlatformDesk, type PlatformDesk } from '../../kit/platform-desk.ts'
import { type Said, says } from '../../kit/platforms/frame.ts'
import { graphError } from '../../kit/platforms/networks.ts'
import { refusal } from '../refusal.ts'

let desk: PlatformDesk<MetaAdsServer>
/** A campaign with a budget of its own, by the id of Meta's and by ours. */
const bakery = '120210000000000011'
let params: { campaignId: string }

beforeAll(async () => {
  desk = await openPlatformDesk('social_ads', createMetaAdsServer)
  fillMeta(desk.there)
})
afterAll(() => desk[Symbol.asyncDispose]())

/** One account in euros, one in yen, and one that was closed. */
function fillMeta(meta: MetaAdsServer): void {
  meta.accounts.push(
    { id: 'act_1', currency: 'EUR', timezone: 'Europe/Berlin', status: 1 },
    { id: 'act_9', currency: 'USD', timezone: 'UTC', status: 101 },
    { id: 'act_2', currency: 'JPY', timezone: 'Asia/Tokyo', status: 1 },
  )
  const add = (id: string, account: string, more: object) =>
    meta.campaigns.set(id, { id, account, name: `Campaign ${id}`, status: 'ACTIVE', ...more })
  add('120210000000000011', 'act_1', { daily: 2_000, start: '2026-03-01T00:00:00+0100' })
  add('12', 'act_1', {})
  add('13', 'act_1', { status: 'PAUSED', daily: 500 })
  add('14', 'act_1', { status: 'ARCHIVED', daily: 500 })
  add('15', 'act_1', {
    lifetime: 10_000,
    start: '2026-04-01T00:00:00+0200',
    stop: '2026-04-11T00:00:00+0200',
  })
  add('21', 'act_2', { daily: 3_000 })
  add('91', 'act_9', { daily: 3_000 })
  meta.sets.push(
    { id: '121', campaign: '12', status: 'ACTIVE', daily: 700 },
    { id: '122', campaign: '12', status: 'PAUSED', daily: 9_000 },
    { id: '111', campaign: '120210000000000011', status: 'ACTIVE' },
  )
}

const there = (id = bakery) => desk.there.campaigns.get(id)
const budget = (euros: number) => ({ kind: 'daily_budget', dailyBudgetMicros: Math.round(euros * 1_000_000) })
const status = (word: string) => ({ kind: 'campaign_status', status: word })
const plan = (
  changes: object[],
  { platform, campaignId = params.campaignId }: { platform?: string; campaignId?: string } = {},
) => desk.plan(campaignId, changes, platform)

describe('tenant.campaigns.import_list of social ads', () => {
  it('has all campaigns of all accounts that are open, with their daily budgets', async () => {
    const { campaigns } = await desk.list()
    expect(
      campaigns.map(({ externalCampaignId: id, budget: amount, currency, accountId }) => [
        id,
        amount,
        currency,
        accountId,
      ]),
    ).toEqual([
      [bakery, 20, 'EUR', 'act_1'],
      ['12', undefined, 'EUR', 'act_1'],
      ['13', 5, 'EUR', 'act_1'],
      ['15', undefined, 'EUR', 'act_1'],
      // Meta counts yen whole.
      ['21', 3_000, 'JPY', 'act_2'],
    ])
    expect(campaigns[0]).toMatchObject({ status: 'ACTIVE', startDate: '2026-03-01' })
  })

  it('tells the platform’s words when it refuses', async () => {
    desk.there.readMishaps.push(graphError(200, { error_user_msg: 'Ask your admin.' }, 403))
    await expect(desk.list()).rejects.toThrow('Ask your admin.')
  })
})

describe('tenant.campaigns.import_all, tenant.campaigns.metrics of social ads', () => {
  it('fetches the days of a campaign, and counts no conversion twice', async () => {
    const day = (date: string, spend: string, clicks: number, actions: Record<string, number>) =>
      desk.there.days.push({ campaign: bakery, date, spend, impressions: 1_000, clicks, actions })
    day('2026-04-01', '10.10', 40, {
      purchase: 2,
      omni_purchase: 3,
      'offsite_conversion.fb_pixel_purchase': 2,
      lead: 1,
      link_click: 40,
      post_engagement: 90,
    })
    day('2026-04-02', '0', 0, {})
    day('2026-04-03', '5.25', 10, { purchase: 1, lead: 2 })
    params = { campaignId: await desk.imported(bakery) }
    const { totals, data } = await desk.team.member.call('tenant', 'GET /campaigns/:campaignId/metrics', {
      params,
      query: { from: '2026-03-25', to: '2026-04-06' },
    })
    expect(totals).toMatchObject([
      {
        channel: 'social_ads',
        currency: 'EUR',
        spend: 15.35,
        clicks: 50,
        impressions: 3_000,
        conversions: 7,
      },
    ])
    expect(data.map(({ date }) => date)).toEqual(['2026-04-01', '2026-04-02', '2026-04-03'])
  })

  it('waits as long as the platform says that its limit is used up', async () => {
    const usage = JSON.stringify({
      '1': [{ type: 'ads_insights', call_count: 100, estimated_time_to_regain_access: 3 }],
    })
    const full: Said = { ...graphError(80_000), headers: { 'x-business-use-case-usage': usage } }
    desk.there.readMishaps.push(full)
    await desk.team.member.call('tenant', 'POST /campaigns/:campaignId/metrics/sync', { params })
    const shown = () => desk.team.admin.call('dashboard', 'GET /paid-ads/campaigns')
    await desk.app.until(
      async () => (await shown()).data.some(({ syncError }) => syncError !== null),
      'the refusal is shown',
    )
    await desk.settled()
    expect((await shown()).data.map(({ syncError }) => syncError)).toEqual([null])
  })

  it('has no keywords', async () => {
    const sync = desk.team.member.call('tenant', 'POST /campaigns/:campaignId/keywords/sync', { params })
    expect(await refusal(sync)).toMatchObject({ status: 400, code: 'BAD_REQUEST' })
    const negative = { kind: 'add_negative', keyword: 'free', matchType: 'exact' }
    expect(await refusal(plan([negative]))).toMatchObject({ status: 400, code: 'BAD_REQUEST' })
    expect(await refusal(plan([negative], { platform: 'social_ads' }))).toMatchObject({
      status: 400,
      field: 'platform',
    })
    expect(await refusal(plan([budget(21)], { platform: 'search_ads' }))).toMatchObject({
      status: 400,
      code: 'BAD_REQUEST',
    })
  })
})

describe('tenant.campaigns.plan_change_set, tenant.campaigns.approve_set of social ads', () => {
  it('has the platform try every item, and changes all in one request', async () => {
    const set = await plan([budget(25), status('paused')])
    expect(set).toMatchObject({
      status: 'planned',
      accountId: 'act_1',
      items: [
        { before: 20_000_000, after: 25_000_000 },
        { before: 'enabled', after: 'paused' },
      ],
    })
    expect(desk.there.tried).toEqual([{ daily_budget: 2_500 }, { status: 'PAUSED' }])
    expect(there()).toMatchObject({ daily: 2_000, status: 'ACTIVE' })
    expect(await desk.apply(set)).toMatchObject({
      status: 'applied',
      items: [{ live: 25_000_000 }, { live: 'paused' }],
    })
    expect(desk.there.done).toEqual([{ daily_budget: 2_500, status: 'PAUSED' }])
    const { data } = await desk.team.admin.call('dashboard', 'GET /paid-ads/campaigns')
    expect(data[0]).toMatchObject({ dailyBudget: 25, externalStatus: 'PAUSED' })
  })

  it('is taken back as it was', async () => {
    const { data } = await desk.team.member.call('tenant', 'GET /campaigns/:campaignId/change-sets', {
      params,
    })
    const undo = await desk.team.member.call(
      'tenant',
      'POST /campaigns/:campaignId/change-sets/:changeSetId/undo',
      { params: { ...params, changeSetId: data[0]?.id ?? '' } },
    )
    expect(await desk.apply(undo)).toMatchObject({ status: 'applied' })
    expect(there()).toMatchObject({ daily: 2_000, status: 'ACTIVE' })
  })

  it.each([
    ['more than half', 31, 'more than 50 %'],
    ['beyond whole cents', 20.005, 'steps of 0.01'],
  ])('refuses %s', async (_, euros, reason) => {
    const set = await plan([budget(euros)])
    expect(set).toMatchObject({
      status: 'refused',
      items: [{ reason: expect.stringContaining(reason) as string }],
    })
  })

  it('keeps to the limit of the account, which counts the budgets of ad sets and of whole spans', async () => {
    // 20.00, 7.00 of the ad set that runs, and 100.00 over ten days: 37 a day, and half as much again.
    const caps = await desk.app.db.sql.all<{ daily_cap_micros: unknown }>(
      `select daily_cap_micros from ad_limits where account_id = 'act_1'`,
    )
    expect(caps.map(({ daily_cap_micros: cap }) => Number(cap))).toEqual([55_500_000])
    const paused = await desk.imported('13')
    Object.assign(there('13') ?? {}, { daily: 2_000 })
    await desk.team.member.call('tenant', 'POST /campaigns/:campaignId/metrics/sync', {
      params: { campaignId: paused },
    })
    await desk.settled()
    // 37 and 20 are more than 55.50.
    const over = await plan([status('enabled')], { campaignId: paused })
    expect(over.items[0]?.reason).toContain('the limit of the account leaves 18.50 EUR')
    Object.assign(there('13') ?? {}, { daily: 1_000 })
    await desk.team.member.call('tenant', 'POST /campaigns/:campaignId/metrics/sync', {
      params: { campaignId: paused },
    })
    await desk.settled()
    expect(await plan([status('enabled')], { campaignId: paused })).toMatchObject({ status: 'planned' })
  })

  it('changes no budget of a campaign that leaves it to its ad sets', async () => {
    const campaignId = await desk.imported('12')
    const { items } = await plan([budget(10)], { campaignId })
    expect(items).toMatchObject([{ state: 'refused', before: null }])
    expect(desk.there.done.some((one) => one['daily_budget'] === 1_000)).toBe(false)
  })

  it('counts currencies without parts as Meta does', async () => {
    const campaignId = await desk.imported('21')
    const half = await plan([budget(3_300.5)], { campaignId })
    expect(half.items[0]?.reason).toContain('steps of 1')
    const set = await plan([budget(3_300)], { campaignId })
    expect(await desk.apply(set)).toMatchObject({ status: 'applied', currency: 'JPY' })
    expect(there('21')?.daily).toBe(3_300)
  })

  it('shows the platform’s words for what it does not take', async () => {
    Object.assign(there() ?? {}, { daily: 150 })
    const { items } = await plan([budget(0.99)])
    expect(items).toMatchObject([{ state: 'refused', reason: 'Your budget is too low.' }])
    Object.assign(there() ?? {}, { daily: 2_000 })
  })

  it('does nothing where someone has changed the budget at the platform since', async () => {
    const set = await plan([budget(22)])
    Object.assign(there() ?? {}, { daily: 1_900 })
    expect(await desk.apply(set)).toMatchObject({
      status: 'failed',
      items: [{ state: 'drifted', live: 19_000_000 }],
    })
    expect(there()?.daily).toBe(1_900)
  })
})

describe('a lost answer of social ads', () => {
  it.each([
    ['cut before', 'cut before'],
    ['cut after', 'cut after'],
    ['an error that may have come too late', graphError(1, {}, 500)],
    ['an answer of something before it', says('<html>')],
  ] as const)('%s is looked up, and nothing is changed twice', async (_, mishap) => {
    const before = there()?.daily ?? 0
    const set = await plan([budget((before + 100) / 100)])
    const done = desk.there.done.length
    desk.there.mishaps.push(mishap)
    expect(await desk.apply(set)).toMatchObject({ status: 'applied' })
    expect(there()?.daily).toBe(before + 100)
    expect(desk.there.done).toHaveLength(done + 1)
  })
})

describe('a campaign at two platforms', () => {
  it('is changed at the one that is named', async () => {
    await desk.app.db.write(async (tx) => {
      // A second mapping as an import from search ads makes it.
      const row = await tx.get<Record<string, string | number | null>>(
        'select * from campaign_mappings where campaign_id = ?',
        [params.campaignId],
      )
      const twin = {
        ...row,
        id: '01KMAPPING0000000000000000',
        platform: 'search_ads',
        external_campaign_id: '77',
      }
      const names = Object.keys(twin)
      await tx.run(
        `insert into campaign_mappings (${names.join(', ')}) values (${names.map(() => '?').join(', ')})`,
        Object.values(twin),
      )
    })
    expect(await refusal(plan([budget(21)]))).toMatchObject({ status: 400, field: 'platform' })
    const before = (there()?.daily ?? 0) / 100
    expect(await plan([budget(before + 1)], { platform: 'social_ads' })).toMatchObject({ status: 'planned' })
  })
})
