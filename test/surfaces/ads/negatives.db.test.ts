import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type AdsDesk, openAdsDesk } from '../../kit/ads.ts'
import type { AdsAccount } from '../../kit/google-ads-rows.ts'
import { refusal } from '../refusal.ts'

let desk: AdsDesk
let params: { campaignId: string }
const bakery = '9007199254740993'

beforeAll(async () => {
  desk = await openAdsDesk()
  params = { campaignId: await desk.imported() }
  await desk.team.member.call('tenant', 'POST /campaigns/:campaignId/keywords/sync', { params })
  await desk.settled()
})
afterAll(() => desk[Symbol.asyncDispose]())

describe('tenant.campaigns.push_negatives, tenant.campaigns.add_negative, tenant.campaigns.remove_negative', () => {
  it('pushes what people have decided, and lists what would block a keyword', async () => {
    await decideAgainst(['free bread', 'rye bread'], '2026-04-08')
    const terms = () => desk.team.member.call('tenant', 'GET /campaigns/:campaignId/search-terms', { params })
    expect(await push('exact')).toMatchObject({ pushed: 1, refused: [{ searchTerm: 'rye bread' }] })
    const { data } = await desk.team.member.call('tenant', 'GET /campaigns/:campaignId/negative-keywords', {
      params,
      query: { status: 'active' },
    })
    const made = data.find(({ keyword }) => keyword === 'free bread')
    expect(made).toMatchObject({
      source: 'search_term_classification',
      matchType: 'exact',
      externalCriterionId: expect.stringMatching(/^\d+$/) as string,
    })
    const statuses = (await terms()).data.map(({ searchTerm, classificationStatus }) => [
      searchTerm,
      classificationStatus,
    ])
    expect(Object.fromEntries(statuses)).toEqual({ 'free bread': 'pushed', 'rye bread': 'dm_reviewed' })
    await desk.team.member.call(
      'tenant',
      'DELETE /campaigns/:campaignId/negative-keywords/:negativeKeywordId',
      {
        params: { ...params, negativeKeywordId: made?.id ?? '' },
      },
    )
    expect(namesThere()).toEqual(['free'])
    const twin = { keyword: 'free', matchType: 'broad' as const }
    expect(
      await refusal(
        desk.team.member.call('tenant', 'POST /campaigns/:campaignId/negative-keywords', {
          params,
          body: twin,
        }),
      ),
    ).toMatchObject({ status: 409 })
  })

  it('pushes the others where some are negative keywords already', async () => {
    await decideAgainst(['free', 'gratis bread'], '2026-04-09')
    // “free bread” was removed, so it is to be pushed again.
    expect(await push('broad')).toMatchObject({
      pushed: 2,
      refused: [
        { searchTerm: 'free', reason: '“free” (broad) is a negative keyword already, or waits to be one' },
        { searchTerm: 'rye bread' },
      ],
    })
    expect(namesThere()).toEqual(['free', 'free bread', 'gratis bread'])
  })

  it('goes past a hundred terms that are refused', async () => {
    const long = Array.from({ length: 100 }, (_, n) => `a${100 + n} b c d e f g h i j k`)
    await decideAgainst([...long, 'bread for ducks'], '2026-04-10')
    const { refused } = await push('exact')
    expect(refused.map(({ searchTerm }) => searchTerm)).toEqual(expect.arrayContaining(long) as string[])
    expect(namesThere()).toContain('bread for ducks')
  })
})

/** Has people search for terms on a day, and somebody of the team decide that no ads are shown for them. */
async function decideAgainst(terms: readonly string[], date: string): Promise<void> {
  const there = desk.google.accounts.get('2222222222') as AdsAccount
  for (const term of terms)
    there.terms.push({
      campaign: bakery,
      adGroup: '51',
      term,
      matchType: 'BROAD',
      date,
      clicks: 1,
      impressions: 9,
      costMicros: 10_000n,
      conversions: 0,
    })
  const { member } = desk.team
  await member.call('tenant', 'POST /campaigns/:campaignId/search-terms/sync', {
    params,
    body: { from: date, to: date },
  })
  await desk.settled()
  for (let page = 1; ; page += 1) {
    const { data } = await member.call('tenant', 'GET /campaigns/:campaignId/search-terms', {
      params,
      query: { page, limit: 100 },
    })
    for (const { id, searchTerm } of data)
      if (terms.includes(searchTerm))
        await member.call(
          'tenant',
          'PATCH /campaigns/:campaignId/search-terms/:searchTermId/classification',
          {
            params: { ...params, searchTermId: id },
            body: { dmDecision: 'add_as_negative' },
          },
        )
    if (data.length < 100) return
  }
}

const push = (matchType: 'exact' | 'broad') =>
  desk.team.member.call('tenant', 'POST /campaigns/:campaignId/search-terms/push-negatives', {
    params,
    body: { matchType },
  })

const namesThere = () =>
  [...(desk.google.accounts.get('2222222222')?.negatives.values() ?? [])].map(({ text }) => text)
