import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ageChangeSets } from '../../kit/ads.ts'
import {
  createLinkedinAdsServer,
  type LinkedinAdsServer,
  type LinkedinCampaign,
} from '../../kit/linkedin-ads-server.ts'
import { openPlatformDesk, type PlatformDesk } from '../../kit/platform-desk.ts'

let desk: PlatformDesk<LinkedinAdsServer>
let campaignId: string

beforeAll(async () => {
  desk = await openPlatformDesk('professional_ads', createLinkedinAdsServer)
  const { accounts, campaigns } = desk.there
  accounts.push(
    { id: 501, currency: 'EUR', status: 'ACTIVE' },
    { id: 502, currency: 'EUR', status: 'REMOVED' },
    { id: 503, currency: 'USD', status: 'ACTIVE' },
  )
  const euros = (amount: string) => ({ amount, currencyCode: 'EUR' })
  const add = (id: number, more: Partial<LinkedinCampaign>) =>
    campaigns.set(String(id), { id, account: 501, name: `Campaign ${id}`, status: 'ACTIVE', ...more })
  add(61, { dailyBudget: euros('20.00'), runSchedule: { start: Date.UTC(2026, 2, 1) } })
  add(62, {
    totalBudget: euros('100'),
    runSchedule: { start: Date.UTC(2026, 3, 1), end: Date.UTC(2026, 3, 11) },
  })
  add(63, { status: 'ARCHIVED', dailyBudget: euros('50.00') })
  add(64, { status: 'DRAFT', dailyBudget: euros('15.00') })
  add(65, { account: 503, dailyBudget: { amount: '30.00', currencyCode: 'USD' } })
})
afterAll(() => desk[Symbol.asyncDispose]())

const there = (id = '61') => desk.there.campaigns.get(id)
const budget = (euros: number) => ({ kind: 'daily_budget', dailyBudgetMicros: Math.round(euros * 1_000_000) })
const status = (word: string) => ({ kind: 'campaign_status', status: word })

describe('tenant.campaigns.import_list, tenant.campaigns.import_all of professional ads', () => {
  it('has the campaigns of all accounts, in pages', async () => {
    const { campaigns } = await desk.list()
    expect(campaigns).toEqual([
      {
        externalCampaignId: '61',
        name: 'Campaign 61',
        status: 'ACTIVE',
        budget: 20,
        currency: 'EUR',
        accountId: 'urn:li:sponsoredAccount:501',
        startDate: '2026-03-01',
        alreadyImported: false,
      },
      expect.objectContaining({ externalCampaignId: '62', endDate: '2026-04-11' }),
      expect.objectContaining({ externalCampaignId: '64', status: 'DRAFT' }),
      expect.objectContaining({ externalCampaignId: '65', currency: 'USD' }),
    ])
  })

  it('tells people when their consent does not include ads', async () => {
    desk.there.mayAds = false
    await expect(desk.list()).rejects.toThrow('No: ACCESS_DENIED')
    desk.there.mayAds = true
  })

  it('fetches the days of a campaign', async () => {
    const day = (date: [number, number, number], cost: string, more: object = {}) =>
      desk.there.days.push({
        campaign: 61,
        date,
        impressions: 500,
        clicks: 5,
        costInLocalCurrency: cost,
        ...more,
      })
    day([2026, 4, 1], '10.123456789', { externalWebsiteConversions: 2, oneClickLeads: 1 })
    day([2026, 4, 2], '5.5')
    campaignId = await desk.imported('61')
    const { totals, data } = await desk.team.member.call('tenant', 'GET /campaigns/:campaignId/metrics', {
      params: { campaignId },
      query: { from: '2026-03-25', to: '2026-04-06' },
    })
    expect(data.map(({ date }) => date)).toEqual(['2026-04-01', '2026-04-02'])
    expect(totals).toMatchObject([
      { channel: 'professional_ads', currency: 'EUR', spend: 15.623457, clicks: 10, conversions: 3 },
    ])
  })
})

describe('tenant.campaigns.plan_change_set, tenant.campaigns.approve_set of professional ads', () => {
  it('changes budget and status in one request', async () => {
    const set = await desk.plan(campaignId, [budget(25), status('paused')])
    expect(set).toMatchObject({ status: 'planned', items: [{ before: 20_000_000 }, { before: 'enabled' }] })
    expect(await desk.apply(set)).toMatchObject({ status: 'applied' })
    const dailyBudget = { amount: '25.00', currencyCode: 'EUR' }
    expect(desk.there.done).toEqual([{ dailyBudget, status: 'PAUSED' }])
    expect(there()).toMatchObject({ status: 'PAUSED', dailyBudget })
    const back = await desk.team.member.call(
      'tenant',
      'POST /campaigns/:campaignId/change-sets/:changeSetId/undo',
      { params: { campaignId, changeSetId: set.id } },
    )
    expect(await desk.apply(back)).toMatchObject({ status: 'applied' })
    expect(there()).toMatchObject({ status: 'ACTIVE', dailyBudget: { amount: '20.00' } })
  })

  it('keeps to the limit of the account, which counts budgets of a whole span by their days', async () => {
    const caps = await desk.app.db.sql.all<{ cap: unknown }>('select daily_cap_micros as cap from ad_limits')
    // 20 a day, and 100 over ten days; half as much again.
    expect(caps.map(({ cap }) => Number(cap))).toEqual([45_000_000])
    Object.assign(there('62') ?? {}, { totalBudget: { amount: '240', currencyCode: 'EUR' } })
    const { items } = await desk.plan(campaignId, [budget(22)])
    expect(items[0]?.reason).toContain('the limit of the account leaves 1.00 EUR')
    Object.assign(there('62') ?? {}, { totalBudget: { amount: '100', currencyCode: 'EUR' } })
  })

  it('enables no campaign by the budget that it was taken over with', async () => {
    Object.assign(there('64') ?? {}, { status: 'PAUSED' })
    const paused = await desk.imported('64')
    const dailyBudget = (amount: string) => ({ dailyBudget: { amount, currencyCode: 'EUR' } })
    // 20 and 10 are spent, of 45.
    const set = await desk.plan(paused, [status('enabled')])
    expect(set.status).toBe('planned')
    Object.assign(there('64') ?? {}, dailyBudget('5000.00'))
    const { items } = await desk.plan(paused, [status('enabled')])
    expect(items[0]?.reason).toContain('the limit of the account leaves 15.00 EUR')
    const reason = 'The daily limit of the account is used up'
    expect((await desk.apply(set)).items).toMatchObject([{ state: 'refused', reason }])
    expect(there('64')?.status).toBe('PAUSED')
    Object.assign(there('64') ?? {}, { status: 'DRAFT', ...dailyBudget('15.00') })
  })

  it('leaves a set failed with the platform’s words when it is refused at the end', async () => {
    await ageChangeSets(desk.app, desk.clock)
    Object.assign(there() ?? {}, { dailyBudget: { amount: '12.00', currencyCode: 'EUR' } })
    const set = await desk.plan(campaignId, [budget(9)])
    expect(set.status).toBe('planned')
    expect(await desk.apply(set)).toMatchObject({ status: 'failed', error: 'No: FIELD_VALUE_TOO_LOW' })
    expect(there()?.dailyBudget?.amount).toBe('12.00')
  })

  it.each([
    ['cut before', 'cut before'],
    ['cut after', 'cut after'],
    ['500', { status: 500 }],
  ] as const)('looks a lost answer up (%s), and changes nothing twice', async (_, mishap) => {
    const before = Number(there()?.dailyBudget?.amount)
    const set = await desk.plan(campaignId, [budget(before + 1)])
    const done = desk.there.done.length
    desk.there.mishaps.push(mishap)
    expect(await desk.apply(set)).toMatchObject({ status: 'applied' })
    expect(there()?.dailyBudget?.amount).toBe((before + 1).toFixed(2))
    expect(desk.there.done).toHaveLength(done + 1)
  })
})
