import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Said } from '../../kit/platforms/frame.ts'
import { graphError } from '../../kit/platforms/networks.ts'
import { bakery, openSocialDesk, type SocialDesk } from '../../kit/social-ads.ts'
import { refusal } from '../refusal.ts'

let desk: SocialDesk
/** Of the campaign that was taken over. */
let params: { campaignId: string }

beforeAll(async () => {
  desk = await openSocialDesk()
})
afterAll(() => desk[Symbol.asyncDispose]())

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
    const budget = { kind: 'daily_budget', dailyBudgetMicros: 21_000_000 }
    const negative = { kind: 'add_negative', keyword: 'free', matchType: 'exact' }
    expect(await refusal(desk.plan(params.campaignId, [negative]))).toMatchObject({
      status: 400,
      code: 'BAD_REQUEST',
    })
    expect(await refusal(desk.plan(params.campaignId, [negative], 'social_ads'))).toMatchObject({
      status: 400,
      field: 'platform',
    })
    expect(await refusal(desk.plan(params.campaignId, [budget], 'search_ads'))).toMatchObject({
      status: 400,
      code: 'BAD_REQUEST',
    })
  })
})
