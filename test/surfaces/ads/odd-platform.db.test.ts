import { describe, expect, it } from 'vitest'
import { createLinkedinAdsServer } from '../../kit/linkedin-ads-server.ts'
import { createMetaAdsServer } from '../../kit/meta-ads-server.ts'
import { openPlatformDesk } from '../../kit/platform-desk.ts'

describe('what a platform says that no one expects', () => {
  it('is taken over as far as it can be, from Meta', async () => {
    await using desk = await openPlatformDesk('social_ads', createMetaAdsServer)
    const { accounts, campaigns, days } = desk.there
    accounts.push({ id: 'act_1', currency: 'XAU', timezone: 'Moon/Base', status: 1 })
    campaigns.set('1', {
      id: '1',
      account: 'act_1',
      name: 'Bread \u0000\ud800 ad',
      status: 'ACTIVE',
      daily: 9_000_000_000,
      start: '2026-02-31T00:00:00+0100',
      stop: '+275760-09-13T00:00:00+0000',
    })
    const { campaigns: found } = await desk.list()
    // Nobody knows how many of Meta's units one of this currency has.
    expect(found).toEqual([
      expect.not.objectContaining({ budget: expect.anything(), startDate: expect.anything() }),
    ])
    const spent = { spend: '999999999.999999', impressions: 9_007_199_254_740_991, clicks: 0, actions: {} }
    days.push({ campaign: '1', date: '2026-04-01', ...spent })
    // As dong or rupiah are counted.
    days.push({ campaign: '1', date: '2026-04-02', ...spent, spend: '4000000000.25', impressions: 0 })
    const campaignId = await desk.imported('1')
    const { data } = await desk.team.admin.call('dashboard', 'GET /paid-ads/campaigns', {
      query: { from: '2026-04-01', to: '2026-04-02' },
    })
    expect(data).toMatchObject([{ syncError: null, dailyBudget: null, spend: 5_000_000_000.249999 }])
    const set = await desk.plan(campaignId, [{ kind: 'daily_budget', dailyBudgetMicros: 1_000_000 }])
    expect(set).toMatchObject({ status: 'refused' })
  })

  it('is told to people where it is no number', async () => {
    await using desk = await openPlatformDesk('social_ads', createMetaAdsServer)
    const { accounts, campaigns } = desk.there
    accounts.push({ id: 'act_1', currency: 'EUR', timezone: 'UTC', status: 1 })
    campaigns.set('1', { id: '1', account: 'act_1', name: 'Rye', status: 'ACTIVE', daily: 1e15 })
    await expect(desk.list()).rejects.toMatchObject({ status: 422 })
  })

  it('leaves no room for more where all that is spent cannot be added up', async () => {
    await using desk = await openPlatformDesk('social_ads', createMetaAdsServer)
    const { accounts, campaigns, done } = desk.there
    accounts.push({ id: 'act_1', currency: 'EUR', timezone: 'UTC', status: 1 })
    const add = (n: number) =>
      campaigns.set(String(n), { id: String(n), account: 'act_1', name: 'Rye', status: 'ACTIVE', daily: 500 })
    add(1)
    const campaignId = await desk.imported('1')
    // More pages than are read.
    for (let n = 2; n <= 30; n += 1) add(n)
    const more = desk.plan(campaignId, [{ kind: 'daily_budget', dailyBudgetMicros: 6_000_000 }])
    await expect(more).rejects.toThrow('The platform has a longer list than is read here')
    expect(done).toEqual([])
  })

  it('is taken over as far as it can be, from LinkedIn', async () => {
    await using desk = await openPlatformDesk('professional_ads', createLinkedinAdsServer)
    const { accounts, campaigns } = desk.there
    accounts.push({ id: 1, currency: 'EUR', status: 'ACTIVE' })
    campaigns.set('1', {
      id: 1,
      account: 1,
      name: 'Rye',
      status: 'ACTIVE',
      runSchedule: { start: 8_640_000_000_000_001, end: -5 },
    })
    const { campaigns: found } = await desk.list()
    expect(found).toEqual([expect.not.objectContaining({ startDate: expect.anything() })])
    await desk.imported('1')
    const { data } = await desk.team.admin.call('dashboard', 'GET /paid-ads/campaigns')
    expect(data).toMatchObject([{ syncError: null, impressions: 0 }])
  })
})
