import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type AdsDesk, openAdsDesk } from '../../kit/ads.ts'
import type { AdsAccount } from '../../kit/google-ads-rows.ts'
import { refusal } from '../refusal.ts'

let desk: AdsDesk
let account: AdsAccount
let params: { campaignId: string }
const bakery = '9007199254740993'

const searched = (term: string, date: string, clicks: number, euros: number, conversions = 0) => ({
  campaign: bakery,
  adGroup: '51',
  term,
  matchType: 'PHRASE',
  date,
  clicks,
  impressions: clicks * 20,
  costMicros: BigInt(Math.round(euros * 1_000_000)),
  conversions,
})

beforeAll(async () => {
  desk = await openAdsDesk()
  account = desk.google.accounts.get('2222222222') as AdsAccount
  account.terms.push(
    searched('rye bread berlin', '2026-04-01', 12, 6, 2),
    searched('free bread', '2026-04-01', 3, 1),
    searched('free bread', '2026-04-02', 2, 1),
    searched('bread machine', '2026-04-02', 15, 9),
    searched('sourdough', '2026-04-02', 4, 2, 1),
    searched('bread shop', '2026-04-09', 1, 0.3),
  )
  params = { campaignId: await desk.imported() }
})
afterAll(() => desk[Symbol.asyncDispose]())

const sync = async () => {
  await desk.team.member.call('tenant', 'POST /campaigns/:campaignId/keywords/sync', { params })
  await desk.settled()
}
const keywords = (query = {}) =>
  desk.team.reviewer.call('tenant', 'GET /campaigns/:campaignId/keywords', { params, query })
const terms = (query = {}) =>
  desk.team.reviewer.call('tenant', 'GET /campaigns/:campaignId/search-terms', { params, query })

describe('tenant.campaigns.sync_keywords, tenant.campaigns.ad_groups, tenant.campaigns.keywords, tenant.campaigns.negative_keywords', () => {
  it('fetches groups, keywords with figures, and negative keywords', async () => {
    await sync()
    const groups = await desk.team.member.call('tenant', 'GET /campaigns/:campaignId/ad-groups', { params })
    expect(groups.data).toEqual([
      expect.objectContaining({
        name: 'Bread',
        status: 'enabled',
        defaultBidMicros: 500_000,
        externalId: '51',
      }),
    ])
    const { data, pagination } = await keywords()
    expect(pagination.total).toBe(2)
    expect(data.find(({ text }) => text === 'rye bread')).toMatchObject({
      matchType: 'phrase',
      status: 'enabled',
      bidMicros: 1_000_000,
      qualityScore: 7,
      clicks: 12,
      averageCpc: 0.5,
      conversions: 2,
      externalCriterionId: '601',
    })
    expect((await keywords({ matchType: 'exact' })).data.map(({ text }) => text)).toEqual(['sourdough'])
    const negatives = await desk.team.member.call('tenant', 'GET /campaigns/:campaignId/negative-keywords', {
      params,
      query: { adGroupId: 'null' },
    })
    expect(negatives.data).toMatchObject([
      {
        keyword: 'free',
        matchType: 'broad',
        adGroupId: null,
        source: 'manual',
        status: 'active',
        externalCriterionId: '701',
      },
    ])
  })

  it('writes nothing that is as it was, and marks what is gone', async () => {
    const rows = () => desk.app.db.sql.all('select * from campaign_keywords order by id')
    const before = await rows()
    desk.clock.advance(60_000)
    await sync()
    expect(await rows()).toEqual(before)
    account.criteria.delete('51~602')
    await sync()
    expect((await keywords({ status: 'removed' })).data.map(({ text }) => text)).toEqual(['sourdough'])
    expect((await keywords({ status: 'enabled' })).pagination.total).toBe(1)
  })
})

describe('tenant.campaigns.sync_terms, tenant.campaigns.search_terms, tenant.campaigns.classify_terms, tenant.campaigns.decide_term_class, dashboard.paid_ads.search_terms, dashboard.paid_ads.classify', () => {
  const fetchTerms = async (from: string, to: string) => {
    await desk.team.member.call('tenant', 'POST /campaigns/:campaignId/search-terms/sync', {
      params,
      body: { from, to },
    })
    await desk.settled()
  }

  it('stores a term once for each day, and puts it right when it is restated', async () => {
    await fetchTerms('2026-04-01', '2026-04-03')
    expect((await terms()).pagination.total).toBe(5)
    await fetchTerms('2026-04-01', '2026-04-09')
    expect((await terms()).pagination.total).toBe(6)
    account.terms.splice(1, 1, searched('free bread', '2026-04-01', 3, 1.5))
    await fetchTerms('2026-04-01', '2026-04-09')
    const { data } = await terms({ classified: false })
    expect(data).toHaveLength(6)
    expect(data.find((one) => one.searchTerm === 'free bread' && one.date === '2026-04-01')?.spend).toBe(1.5)
    const wrong = desk.team.member.call('tenant', 'POST /campaigns/:campaignId/search-terms/sync', {
      params,
      body: { from: '2026-04-02', to: '2026-04-01' },
    })
    expect(await refusal(wrong)).toMatchObject({ status: 400, field: 'from' })
  })

  it('sorts them by rules with numbers, until a person decides', async () => {
    expect(
      await desk.team.member.call('tenant', 'POST /campaigns/:campaignId/search-terms/classify', { params }),
    ).toEqual({ queued: 6 })
    await desk.settled()
    const all = (await terms({ classified: true })).data
    expect(Object.fromEntries(all.map((one) => [one.searchTerm, one.classification]))).toEqual({
      'rye bread berlin': 'add_as_keyword',
      'free bread': 'add_as_negative',
      'bread machine': 'add_as_negative',
      sourdough: 'add_as_keyword',
      'bread shop': 'watch',
    })
    expect(all.every(({ classificationStatus }) => classificationStatus === 'pending')).toBe(true)
    expect(all.find(({ searchTerm }) => searchTerm === 'bread machine')?.reason).toContain('9.00 EUR spent')
    const free = all.find(({ searchTerm }) => searchTerm === 'free bread')
    const decided = await desk.team.member.call(
      'tenant',
      'PATCH /campaigns/:campaignId/search-terms/:searchTermId/classification',
      { params: { ...params, searchTermId: free?.id ?? '' }, body: { dmDecision: 'watch' } },
    )
    expect(decided).toMatchObject({
      classification: 'watch',
      classificationStatus: 'dm_reviewed',
      decidedBy: 'Mia Member',
    })
  })

  it('is one decision on every surface, also for days that come later', async () => {
    const list = (intent: 'watch' | 'negative') =>
      desk.team.admin.call('dashboard', 'GET /paid-ads/search-terms', {
        query: { 'filter.classification': intent, limit: 2 },
      })
    const first = await list('watch')
    expect(first.pagination.hasMore).toBe(true)
    const searchTermId = first.data.find(({ searchTerm }) => searchTerm === 'free bread')?.id ?? ''
    const body = { classification: 'negative' as const, note: 'They want it for nothing' }
    await desk.team.admin.call('dashboard', 'PATCH /paid-ads/search-terms/:searchTermId/classify', {
      params: { searchTermId },
      body,
    })
    account.terms.push(searched('free bread', '2026-04-09', 1, 0.5))
    await fetchTerms('2026-04-08', '2026-04-09')
    const { data } = await terms({ classification: 'add_as_negative' })
    expect(data.filter(({ searchTerm }) => searchTerm === 'free bread')).toHaveLength(3)
    expect(data.every(({ note, searchTerm }) => searchTerm !== 'free bread' || note === body.note)).toBe(true)
    expect((await list('negative')).data.map(({ spend }) => spend)).toContain(0.5)
  })
})
