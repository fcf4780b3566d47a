import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type AdsDesk, openAdsDesk } from '../../kit/ads.ts'
import { adminOf, type TestApp } from '../../kit/app.ts'
import type { AdsAccount } from '../../kit/google-ads-rows.ts'

let desk: AdsDesk
let account: AdsAccount
let params: { campaignId: string }
/** Whose access does not end, however much time passes. */
let admin: ReturnType<TestApp['copydesk']['as']>
const bakery = '9007199254740993'

beforeAll(async () => {
  desk = await openAdsDesk()
  account = desk.google.accounts.get('2222222222') as AdsAccount
  admin = desk.app.copydesk.as(adminOf(desk.team))
  for (let day = 1; day <= 9; day += 1)
    account.days.push({
      campaign: bakery,
      date: `2026-04-0${day}`,
      costMicros: 20_000_000n,
      impressions: 500,
      clicks: 40,
      conversions: 2,
    })
  for (const term of ['gratis bread', 'bread jobs', 'bread meme', 'bread font'])
    account.terms.push({
      campaign: bakery,
      adGroup: '51',
      term,
      matchType: 'PHRASE',
      date: '2026-04-02',
      costMicros: 2_000_000n,
      impressions: 600,
      clicks: 3,
      conversions: 0,
    })
  params = { campaignId: await desk.imported() }
  await admin.call('tenant.campaigns.sync_keywords', { params })
  const days = { from: '2026-04-01', to: '2026-04-08' }
  await admin.call('tenant.campaigns.sync_terms', { params, body: days })
  await desk.settled()
  const { data } = await admin.call('tenant.campaigns.search_terms', { params })
  for (const { id: searchTermId } of data)
    await admin.call('tenant.campaigns.decide_term_class', {
      params: { ...params, searchTermId },
      body: { dmDecision: 'add_as_negative' },
    })
})
afterAll(() => desk[Symbol.asyncDispose]())

const budgetThere = () => Number(desk.google.accounts.get('2222222222')?.budgets.get('71')?.amountMicros)
const negativesThere = () =>
  [...(desk.google.accounts.get('2222222222')?.negatives.values() ?? [])].map(({ text }) => text)
const list = async () => (await admin.call('tenant.campaigns.optimizations', { params })).data
const about = async (kind: string) => (await list()).find((one) => one.kind === kind)
const route = (recommendationId: string) => ({ params: { ...params, recommendationId } })
const apply = (id: string) => admin.call('tenant.campaigns.apply_advice', route(id))
const decide = (id: string, status: 'dm_approved' | 'client_approved') =>
  admin.call('tenant.campaigns.decide_advice', { ...route(id), body: { status } })
const addNegative = (keyword: string) =>
  admin.call('tenant.campaigns.add_negative', { params, body: { keyword, matchType: 'exact' } })

describe('tenant.campaigns.apply_advice', () => {
  it('is applied once its change set is, where the answer was lost', async () => {
    await addNegative('bread font')
    await admin.call('tenant.campaigns.advise', { params })
    await desk.settled()
    const id = (await about('limited_budget'))?.id ?? ''
    await decide(id, 'dm_approved')
    desk.google.mishaps.mutate.push('cut after')
    const lost: unknown = await apply(id).catch((error: unknown) => error)
    const waiting = await about('limited_budget')
    const { changeSetId } = waiting ?? {}
    expect(lost).toMatchObject({ code: 'UNPROCESSABLE', details: { reason: 'unknown', changeSetId } })
    expect(waiting).toMatchObject({ status: 'dm_approved', changeSetStatus: 'unknown', outcomes: [] })
    await expect(apply(id)).rejects.toMatchObject({ code: 'CONFLICT', details: { changeSetId } })
    await desk.settled()
    expect(await about('limited_budget')).toMatchObject({
      status: 'applied',
      changeSetId,
      changeSetStatus: 'applied',
      appliedAt: expect.anything() as unknown,
    })
    expect(budgetThere()).toBe(22_000_000)
    await expect(apply(id)).rejects.toMatchObject({ code: 'CONFLICT' })
  })

  it('leaves out searches that have become negative keywords since, and says so', async () => {
    const one = await about('wasted_searches')
    expect(one?.rationale).toContain('3 search terms')
    expect(one?.rationale).not.toContain('bread font')
    const id = one?.id ?? ''
    await addNegative('bread jobs')
    await decide(id, 'dm_approved')
    await decide(id, 'client_approved')
    const done = await apply(id)
    expect(done).toMatchObject({ status: 'applied' })
    const set = await admin.call('tenant.campaigns.change_set', {
      params: { ...params, changeSetId: done.changeSetId ?? '' },
    })
    expect(set.status).toBe('applied')
    expect(set.items.map(({ label, state }) => `${state}: ${label}`).toSorted()).toEqual([
      'applied: No ads for “bread meme” (exact)',
      'applied: No ads for “gratis bread” (exact)',
      'refused: No ads for “bread jobs” (exact)',
    ])
    expect(set.items.at(-1)?.reason).toContain('is a negative keyword already')
    expect(negativesThere().toSorted()).toEqual([
      'bread font',
      'bread jobs',
      'bread meme',
      'free',
      'gratis bread',
    ])
  })
})

describe('tenant.campaigns.optimizations', () => {
  it('shows what followed', async () => {
    const sums = { impressions: 1_000, clicks: 70, costMicros: 140_000_000, conversionMicros: 14_000_000 }
    const outcome = {
      days: 7,
      measuredOn: '2026-04-20T06:47:00.000Z',
      before: sums,
      after: sums,
      otherSets: 1,
    }
    const id = (await about('limited_budget'))?.changeSetId ?? ''
    await desk.app.db.write((tx) =>
      tx.run('update ad_change_sets set outcomes = ? where id = ?', [JSON.stringify([outcome]), id]),
    )
    expect((await about('limited_budget'))?.outcomes).toMatchObject([
      { days: 7, otherSets: 1, before: { currency: 'EUR', spend: 140 }, after: { costPerConversion: 10 } },
    ])
    expect((await about('wasted_searches'))?.outcomes).toEqual([])
  })
})
