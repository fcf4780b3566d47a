import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type AdsDesk, openAdsDesk } from '../../kit/ads.ts'
import { refusal } from '../refusal.ts'

let desk: AdsDesk
const bakery = '9007199254740993'

beforeAll(async () => {
  desk = await openAdsDesk()
})
afterAll(() => desk[Symbol.asyncDispose]())

const list = () =>
  desk.team.member.call('tenant', 'GET /campaigns/import', {
    query: { channel: 'search_ads', connectedChannelId: desk.channelId },
  })
const order = (...ids: string[]) =>
  desk.team.member.call('tenant', 'POST /campaigns/import', {
    body: {
      connectedChannelId: desk.channelId,
      platform: 'search_ads',
      campaigns: ids.map((externalCampaignId) => ({
        externalCampaignId,
        name: `Ours ${externalCampaignId}`,
      })),
    },
  })
const account = () =>
  desk.google.accounts.get('2222222222') as never as {
    days: Array<Record<string, unknown>>
  }
const day = (date: string, euros: number, conversions = 0) => ({
  campaign: bakery,
  date,
  costMicros: BigInt(euros * 1_000_000),
  impressions: 1_000,
  clicks: 40,
  conversions,
})

describe('tenant.campaigns.import_list', () => {
  it('asks the platform through its manager, in its own protocol', async () => {
    expect(await list()).toEqual({
      campaigns: [
        {
          externalCampaignId: bakery,
          name: 'Bakery – search',
          status: 'ENABLED',
          budget: 20,
          currency: 'EUR',
          accountId: '2222222222',
          startDate: '2026-01-01',
          alreadyImported: false,
        },
        expect.objectContaining({ externalCampaignId: '32', status: 'PAUSED', budget: 5 }),
      ],
    })
    const last = desk.google.requests.at(-1)
    expect(last?.path).toBe('customers/2222222222/googleAds:searchStream')
    expect(last?.headers).toMatchObject({
      'login-customer-id': '1111111111',
      'developer-token': 'dev-token-1',
      authorization: expect.stringMatching(/^Bearer access-/) as string,
    })
  })

  it('tells the platform’s words when it refuses, and names what is wrong with a request', async () => {
    desk.google.mishaps.read.push({
      status: 403,
      rpc: 'PERMISSION_DENIED',
      family: 'authorizationError',
      code: 'CUSTOMER_NOT_ENABLED',
    })
    expect(await refusal(list())).toMatchObject({ status: 422, code: 'UNPROCESSABLE' })
    const wrong = desk.team.member.call('tenant', 'GET /campaigns/import', {
      query: { channel: 'social_ads', connectedChannelId: desk.channelId },
    })
    expect(await refusal(wrong)).toMatchObject({ status: 400, field: 'channel' })
  })
})

describe('tenant.campaigns.import_all, tenant.campaigns.metrics, tenant.campaigns.sync_metrics, dashboard.paid_ads.campaigns', () => {
  it('takes nothing over that the platform does not have', async () => {
    expect(await refusal(order(bakery, '77'))).toMatchObject({
      status: 400,
      field: 'campaigns.1.externalCampaignId',
    })
    expect(await refusal(order(bakery, bakery))).toMatchObject({ status: 400 })
    expect((await desk.team.member.call('tenant', 'GET /campaigns')).pagination.total).toBe(0)
  })

  it('takes no campaign over that would end before it begins', async () => {
    const body = {
      connectedChannelId: desk.channelId,
      platform: 'search_ads' as const,
      campaigns: [{ externalCampaignId: bakery, name: 'Bakery', endDate: '2025-12-31' }],
    }
    const refused = await refusal(desk.team.member.call('tenant', 'POST /campaigns/import', { body }))
    expect(refused).toMatchObject({ status: 400, code: 'VALIDATION_ERROR', field: 'campaigns.0.endDate' })
  })

  it('takes campaigns over with the status of the platform, and fetches their figures', async () => {
    account().days.push(day('2026-04-01', 10, 1.5), day('2026-04-06', 5))
    const [first, second] = await order(bakery, '32')
    expect(first).toMatchObject({
      type: 'paid_ads',
      source: 'imported',
      status: 'active',
      budget: 20,
      budgetCurrency: 'EUR',
      mapping: { externalCampaignId: bakery, currency: 'EUR', lastSyncedAt: null },
    })
    expect(second?.status).toBe('paused')
    await desk.settled()
    const params = { campaignId: first?.id ?? '' }
    const span = { from: '2026-03-23', to: '2026-04-08' }
    const metrics = await desk.team.reviewer.call('tenant', 'GET /campaigns/:campaignId/metrics', {
      params,
      query: { ...span, granularity: 'week' },
    })
    expect(metrics.data.map(({ date, spend }) => [date, spend])).toEqual([
      ['2026-03-30', 10],
      ['2026-04-06', 5],
    ])
    expect(metrics.totals).toEqual([
      expect.objectContaining({
        channel: 'search_ads',
        currency: 'EUR',
        spend: 15,
        conversions: 1.5,
        clicks: 80,
        ctr: 0.04,
      }),
    ])
    expect(await refusal(order(bakery))).toMatchObject({ status: 409, code: 'CONFLICT' })
    expect((await list()).campaigns.map(({ alreadyImported }) => alreadyImported)).toEqual([true, true])
  })

  it('puts days right that the platform restates, and shows one number everywhere', async () => {
    const { data } = await desk.team.member.call('tenant', 'GET /campaigns')
    const campaignId = data.find(({ status }) => status === 'active')?.id ?? ''
    const rows = account().days
    rows.splice(0, 1, day('2026-04-01', 12, 2.25))
    const written = () =>
      desk.app.db.sql.all<{ date: string; updated_on: unknown }>(
        'select date, updated_on from campaign_metrics order by date',
      )
    const before = await written()
    desk.clock.advance(60_000)
    expect(
      await desk.team.member.call('tenant', 'POST /campaigns/:campaignId/metrics/sync', {
        params: { campaignId },
      }),
    ).toEqual({ queued: 1 })
    await desk.settled()
    const after = await written()
    expect(after).toHaveLength(2)
    expect(after[0]?.updated_on).not.toEqual(before[0]?.updated_on)
    expect(after[1]).toEqual(before[1])
    const query = { from: '2026-04-01', to: '2026-04-30' }
    const metrics = await desk.team.member.call('tenant', 'GET /campaigns/:campaignId/metrics', {
      params: { campaignId },
      query,
    })
    const paid = await desk.team.admin.call('dashboard', 'GET /paid-ads/campaigns', { query })
    const one = await desk.team.reviewer.call('dm', 'GET /campaigns/:campaignId', { params: { campaignId } })
    expect(metrics.totals[0]?.spend).toBe(17)
    expect(paid.totals).toMatchObject([{ currency: 'EUR', spend: 17, conversions: 2.25 }])
    expect(paid.data.find((each) => each.campaignId === campaignId)?.spend).toBe(17)
    expect(one.primaryMetric).toEqual({ name: 'conversions', value: 2.25 })
    expect(one.metrics).toMatchObject([{ channel: 'search_ads', date: '2026-04-06', spend: 5 }])
  })

  it('waits as long as the platform’s quota says, and keeps why a sync has brought nothing', async () => {
    const { data } = await desk.team.member.call('tenant', 'GET /campaigns')
    const campaignId = data.find(({ status }) => status === 'active')?.id ?? ''
    const params = { campaignId }
    desk.google.mishaps.read.push({
      status: 429,
      rpc: 'RESOURCE_EXHAUSTED',
      family: 'quotaError',
      code: 'RESOURCE_EXHAUSTED',
      retryDelay: '5s',
    })
    await desk.team.member.call('tenant', 'POST /campaigns/:campaignId/metrics/sync', { params })
    await desk.app.until(
      async () =>
        (await desk.team.admin.call('dashboard', 'GET /paid-ads/campaigns')).data.some(
          ({ syncError }) => syncError !== null,
        ),
      'the refusal is shown',
    )
    await desk.settled()
    const paid = await desk.team.admin.call('dashboard', 'GET /paid-ads/campaigns')
    expect(paid.data.map(({ syncError }) => syncError)).toEqual([null, null])
  })
})

describe('tenant.campaigns.link_campaign', () => {
  it('joins one campaign to one of the platform, once', async () => {
    const make = () =>
      desk.team.member.call('tenant', 'POST /campaigns', {
        body: { name: 'Ours', type: 'paid_ads', channel: [], goal: 'leads' },
      })
    const { id: campaignId } = await make()
    const link = (externalCampaignId: string) =>
      desk.team.member.call('tenant', 'POST /campaigns/:campaignId/link-external', {
        params: { campaignId },
        body: {
          connectedChannelId: desk.channelId,
          platform: 'search_ads',
          externalCampaignId,
          externalCampaignName: 'X',
        },
      })
    expect(await refusal(link('77'))).toMatchObject({ status: 400, field: 'externalCampaignId' })
    expect(await refusal(link(bakery))).toMatchObject({ status: 409 })
    const sync = desk.team.member.call('tenant', 'POST /campaigns/:campaignId/metrics/sync', {
      params: { campaignId },
    })
    expect(await refusal(sync)).toMatchObject({ status: 400, code: 'BAD_REQUEST' })
    const account = desk.google.accounts.get('2222222222')
    account?.campaigns.set('34', { id: '34', name: 'New', status: 'PAUSED', budget: '72' })
    expect(await link('34')).toMatchObject({ externalCampaignName: 'New', platform: 'search_ads' })
    account?.campaigns.set('35', { id: '35', name: 'Newer', status: 'PAUSED', budget: '72' })
    expect(await refusal(link('35'))).toMatchObject({ status: 409 })
    await desk.settled()
  })
})
