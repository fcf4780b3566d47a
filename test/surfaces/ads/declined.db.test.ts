import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type AdsDesk, openAdsDesk } from '../../kit/ads.ts'
import { adminOf, type TestApp } from '../../kit/app.ts'
import type { AdsAccount } from '../../kit/google-ads-rows.ts'

let desk: AdsDesk
let params: { campaignId: string }
/** Whose access does not end, however much time passes. */
let admin: ReturnType<TestApp['copydesk']['as']>
const quietMs = 15 * 86_400_000

beforeAll(async () => {
  desk = await openAdsDesk()
  admin = desk.app.copydesk.as(adminOf(desk.team))
  params = { campaignId: await desk.imported() }
  await admin.call('tenant.campaigns.sync_keywords', { params })
  await desk.settled()
})
afterAll(() => desk[Symbol.asyncDispose]())

/** Has people search for terms, and the campaign know of it. */
async function searched(...terms: string[]): Promise<void> {
  const there = desk.google.accounts.get('2222222222') as AdsAccount
  for (const term of terms)
    there.terms.push({
      campaign: '9007199254740993',
      adGroup: '51',
      term,
      matchType: 'PHRASE',
      date: '2026-04-02',
      clicks: 3,
      impressions: 600,
      costMicros: 2_000_000n,
      conversions: 0,
    })
  const days = { from: '2026-04-01', to: '2026-04-08' }
  await admin.call('tenant.campaigns.sync_terms', { params, body: days })
  await desk.settled()
}

const termOf = async (term: string) => {
  const { data } = await admin.call('tenant.campaigns.search_terms', { params, query: { limit: 100 } })
  return data.find(({ searchTerm }) => searchTerm === term)
}
async function decideAgainst(...terms: string[]): Promise<void> {
  for (const term of terms)
    await admin.call('tenant.campaigns.decide_term_class', {
      params: { ...params, searchTermId: (await termOf(term))?.id ?? '' },
      body: { dmDecision: 'add_as_negative' },
    })
}
const push = () => admin.call('tenant.campaigns.push_negatives', { params, body: { matchType: 'exact' } })
async function remove(keyword: string): Promise<void> {
  const { data } = await admin.call('tenant.campaigns.negative_keywords', {
    params,
    query: { status: 'active' },
  })
  const negativeKeywordId = data.find((one) => one.keyword === keyword)?.id ?? ''
  await admin.call('tenant.campaigns.remove_negative', { params: { ...params, negativeKeywordId } })
}

/** The open recommendation after the next scan. */
async function scanned() {
  await admin.call('tenant.campaigns.advise', { params })
  await desk.settled()
  const { data } = await admin.call('tenant.campaigns.optimizations', {
    params,
    query: { status: 'pending' },
  })
  return data.find(({ kind }) => kind === 'wasted_searches')
}
const skip = (recommendationId: string) =>
  admin.call('tenant.campaigns.decide_advice', {
    params: { ...params, recommendationId },
    body: { status: 'skipped' },
  })
const quoted = (rationale: string | undefined) =>
  [...(rationale ?? '').matchAll(/“([^”]+)”/g)].map(([, term = '']) => term).toSorted()

describe('tenant.campaigns.advise', () => {
  it('does not suggest a negative keyword that a person has removed, until a person wants it again', async () => {
    await searched('bread font', 'bread meme')
    await decideAgainst('bread font')
    expect(await push()).toMatchObject({ pushed: 1 })
    await remove('bread font')
    expect(await scanned()).toBeUndefined()
    await decideAgainst('bread meme')
    const first = await scanned()
    expect(quoted(first?.rationale)).toEqual(['bread meme'])
    await skip(first?.id ?? '')
    desk.clock.advance(quietMs)
    // The decision on the term is newer than the removal.
    await decideAgainst('bread font')
    expect(quoted((await scanned())?.rationale)).toEqual(['bread font'])
  })

  it('does not suggest again what a person has skipped, however much time passes, and still what is new', async () => {
    const open = await scanned()
    await skip(open?.id ?? '')
    desk.clock.advance(quietMs)
    expect(await scanned()).toBeUndefined()
    await searched('bread gif')
    await decideAgainst('bread gif')
    const next = await scanned()
    expect(quoted(next?.rationale)).toEqual(['bread gif'])
    await skip(next?.id ?? '')
  })
})

describe('tenant.campaigns.classify_terms', () => {
  it('does not sort a term as negative whose negative keyword a person has removed', async () => {
    const add = (keyword: string, matchType: 'exact' | 'phrase') =>
      admin.call('tenant.campaigns.add_negative', { params, body: { keyword, matchType } })
    await add('free rolls', 'exact')
    await add('free buns', 'phrase')
    await remove('free rolls')
    await remove('free buns')
    await searched('free rolls', 'free buns', 'free cakes')
    await admin.call('tenant.campaigns.classify_terms', { params })
    await desk.settled()
    expect(await termOf('free cakes')).toMatchObject({ classification: 'add_as_negative' })
    // A keyword of another match type is another keyword.
    expect(await termOf('free buns')).toMatchObject({ classification: 'add_as_negative' })
    expect(await termOf('free rolls')).toMatchObject({
      classification: 'watch',
      classificationStatus: 'pending',
      reason: 'It was a negative keyword (exact) until a person removed it',
    })
    await decideAgainst('free rolls')
    expect(await termOf('free rolls')).toMatchObject({ classification: 'add_as_negative' })
  })
})
