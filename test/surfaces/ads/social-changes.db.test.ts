import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ageChangeSets } from '../../kit/ads.ts'
import { says } from '../../kit/platforms/frame.ts'
import { graphError } from '../../kit/platforms/networks.ts'
import { bakery, openSocialDesk, type SocialDesk } from '../../kit/social-ads.ts'
import { refusal } from '../refusal.ts'

let desk: SocialDesk
let params: { campaignId: string }

beforeAll(async () => {
  desk = await openSocialDesk()
  params = { campaignId: await desk.imported(bakery) }
})
afterAll(() => desk[Symbol.asyncDispose]())

const there = (id = bakery) => desk.there.campaigns.get(id)
const budget = (euros: number) => ({ kind: 'daily_budget', dailyBudgetMicros: Math.round(euros * 1_000_000) })
const status = (word: string) => ({ kind: 'campaign_status', status: word })
const plan = (
  changes: object[],
  { platform, campaignId = params.campaignId }: { platform?: string; campaignId?: string } = {},
) => desk.plan(campaignId, changes, platform)

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
    // It was taken over with 5.00: what it has now counts. 37 and 20 are more than 55.50.
    Object.assign(there('13') ?? {}, { daily: 2_000 })
    const over = await plan([status('enabled')], { campaignId: paused })
    expect(over.items[0]?.reason).toContain('the limit of the account leaves 18.50 EUR')
    Object.assign(there('13') ?? {}, { daily: 1_000 })
    const set = await plan([status('enabled')], { campaignId: paused })
    expect(set).toMatchObject({ status: 'planned' })
    Object.assign(there('13') ?? {}, { daily: 500_000 })
    const reason = 'The daily limit of the account is used up'
    expect(await desk.apply(set)).toMatchObject({ status: 'failed', items: [{ state: 'refused', reason }] })
    expect(there('13')?.status).toBe('PAUSED')
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
    await ageChangeSets(desk.app, desk.clock)
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
