import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { randomFrom } from '../../chaos/random.ts'
import { approvedCopy } from '../../kit/ad-copy.ts'
import { type AdsDesk, openAdsDesk } from '../../kit/ads.ts'
import { adminOf, type TestApp } from '../../kit/app.ts'
import type { AdsAccount } from '../../kit/google-ads-rows.ts'

/** How many random sets are applied and taken back; the long form is 200. */
const count = Number(process.env['COPYDESK_UNDO_SETS'] ?? 12)

let desk: AdsDesk
/** Whose access does not end, however much time passes. */
let admin: ReturnType<TestApp['copydesk']['as']>
let params: { campaignId: string }
/** Ids here of keywords by their texts, of the ad group, and of the negative keyword that is there. */
let keywords: Map<string, string>
let adGroupId: string
/** Of approved ad copy. */
let activityId: string

beforeAll(async () => {
  desk = await openAdsDesk()
  params = { campaignId: await desk.imported() }
  admin = desk.app.copydesk.as(adminOf(desk.team))
  await admin.call('tenant.campaigns.sync_keywords', { params })
  await desk.settled()
  const { data } = await admin.call('tenant.campaigns.keywords', { params })
  keywords = new Map(data.map(({ text, id }) => [text, id]))
  const groups = await admin.call('tenant.campaigns.ad_groups', { params })
  adGroupId = groups.data[0]?.id ?? ''
  activityId = await approvedCopy(desk, params)
})
afterAll(() => desk[Symbol.asyncDispose]())

const account = () => desk.google.accounts.get('2222222222') as AdsAccount

/** All that a change set can change, as the platform has it; ids are new when something is added again. */
function stateThere() {
  const { budgets, campaigns, criteria, negatives, ads } = account()
  const negative = (of: string, text: string | undefined, matchType: string | undefined) =>
    `${of}: ${text} (${matchType})`
  return {
    budget: budgets.get('71')?.amountMicros,
    status: campaigns.get('9007199254740993')?.status,
    keywords: [...criteria.values()]
      .filter((one) => !one.negative && one.status !== 'REMOVED')
      .map(({ text, status, bidMicros }) => [text, status, bidMicros]),
    ads: [...ads.values()]
      .filter((one) => one.status !== 'REMOVED')
      .map(({ finalUrls, status }) => [finalUrls, status]),
    negatives: [
      ...[...negatives.values()].map((one) => negative(one.of, one.text, one.matchType)),
      ...[...criteria.values()]
        .filter((one) => one.negative && one.status !== 'REMOVED')
        .map((one) => negative(`group ${one.of}`, one.text, one.matchType)),
    ].sort(),
  }
}

const apply = async (set: { id: string; digest: string }) => {
  const at = { ...params, changeSetId: set.id }
  await admin.call('tenant.campaigns.approve_set', {
    params: at,
    body: { digest: set.digest },
  })
  await desk.settled()
  return admin.call('tenant.campaigns.change_set', {
    params: at,
  })
}
const plan = (changes: readonly object[]) =>
  admin.call('tenant.campaigns.plan_change_set', {
    params,
    body: { changes } as never,
  })
const undo = ({ id }: { id: string }) =>
  admin.call('tenant.campaigns.undo_set', {
    params: { ...params, changeSetId: id },
  })

describe('tenant.campaigns.undo_set of random sets', () => {
  it(`restores everything that ${count} of them have changed`, {
    timeout: 60_000 + count * 3_000,
  }, async () => {
    const random = randomFrom(23)
    const pick = <T>(all: readonly T[]): T => all[Math.floor(random() * all.length)] as T
    /** Between 60 and 140 % of an amount, in whole cents. */
    const near = (micros: bigint | undefined) =>
      Math.round((Number(micros) * (0.6 + random() * 0.8)) / 10_000) * 10_000
    let restored = 0
    for (let n = 0; n < count; n += 1) {
      const before = stateThere()
      const negative = await admin.call('tenant.campaigns.negative_keywords', {
        params,
        query: { status: 'active' },
      })
      const [text, keywordId] = pick([...keywords])
      const criterion = [...account().criteria.values()].find((one) => one.text === text)
      const flip = (word: string | undefined) => (word === 'ENABLED' ? 'paused' : 'enabled')
      const all = [
        { kind: 'keyword_bid', keywordId, bidMicros: near(criterion?.bidMicros) },
        { kind: 'keyword_status', keywordId, status: flip(criterion?.status) },
        { kind: 'daily_budget', dailyBudgetMicros: near(before.budget) },
        { kind: 'campaign_status', status: flip(before.status) },
        { kind: 'add_negative', keyword: `cheap ${n}`, matchType: pick(['exact', 'phrase', 'broad']) },
        { kind: 'add_negative', keyword: `old ${n}`, matchType: 'exact', adGroupId },
        { kind: 'add_ad', activityId, adGroupId, finalUrl: `https://oats.example/${n}` },
        { kind: 'remove_negative', negativeKeywordId: pick(negative.data)?.id },
      ]
      const changes = all.filter(() => random() < 0.5)
      if (changes.length === 0) continue
      const set = await plan(changes)
      if (set.status !== 'planned') continue
      const applied = await apply(set)
      const done = applied.items.filter(({ state }) => state === 'applied').length
      expect(done, JSON.stringify(applied.items)).toBeGreaterThan(0)
      const back = await undo(applied)
      // A way back that costs more than the limit of the account leaves is refused, and nothing else is.
      const refused = back.items.filter(({ state }) => state === 'refused')
      expect(refused.map(({ reason }) => reason).filter((reason) => !reason?.includes('limit'))).toEqual([])
      const end = back.status === 'planned' ? (await apply(back)).status : 'applied'
      expect(end).toBe('applied')
      if (refused.length > 0) continue
      expect(stateThere()).toEqual(before)
      restored += 1
    }
    expect(restored).toBeGreaterThan(count / 2)
  })

  it('leaves what someone has changed at the platform since, and says what it is there', async () => {
    const was = account().budgets.get('71')?.amountMicros ?? 0n
    const becomes = (amountMicros: bigint) => account().budgets.set('71', { amountMicros, shared: false })
    const set = await apply(
      await plan([{ kind: 'daily_budget', dailyBudgetMicros: Number(was) - 1_000_000 }]),
    )
    becomes(26_500_000n)
    const back = await undo(set)
    expect(back.items).toMatchObject([
      { state: 'refused', reason: 'It was changed elsewhere since, to 26.50 EUR: it is left as it is' },
    ])
    becomes(was)
  })

  it('lists what stands in its way, and takes the rest back', async () => {
    const negative = { kind: 'add_negative', keyword: 'stale', matchType: 'exact' }
    const set = await apply(
      await plan([
        negative,
        {
          kind: 'daily_budget',
          dailyBudgetMicros: Number(account().budgets.get('71')?.amountMicros) - 1_000_000,
        },
      ]),
    )
    const { data } = await admin.call('tenant.campaigns.negative_keywords', {
      params,
      query: { status: 'active' },
    })
    const stale = data.find(({ keyword }) => keyword === 'stale')
    await admin.call('tenant.campaigns.remove_negative', {
      params: { ...params, negativeKeywordId: stale?.id ?? '' },
    })
    const back = await undo(set)
    expect(back).toMatchObject({
      status: 'planned',
      items: [
        { kind: 'daily_budget', state: 'planned' },
        {
          kind: 'negative_keyword',
          state: 'refused',
          reason: expect.stringContaining('nothing to remove') as string,
        },
      ],
    })
    expect(await apply(back)).toMatchObject({ status: 'applied' })
  })
})
