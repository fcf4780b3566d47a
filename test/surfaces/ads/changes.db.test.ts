import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type AdsDesk, ageChangeSets, openAdsDesk } from '../../kit/ads.ts'
import type { AdsAccount } from '../../kit/google-ads-rows.ts'
import { refusal } from '../refusal.ts'

let desk: AdsDesk
let account: AdsAccount
let params: { campaignId: string }
let keywordId: string

beforeAll(async () => {
  desk = await openAdsDesk()
  account = desk.google.accounts.get('2222222222') as AdsAccount
  params = { campaignId: await desk.imported() }
  await desk.team.member.call('tenant', 'POST /campaigns/:campaignId/keywords/sync', { params })
  await desk.settled()
  const { data } = await desk.team.member.call('tenant', 'GET /campaigns/:campaignId/keywords', { params })
  keywordId = data.find(({ text }) => text === 'rye bread')?.id ?? ''
})
afterAll(() => desk[Symbol.asyncDispose]())

const bidThere = () => desk.google.accounts.get('2222222222')?.criteria.get('51~601')?.bidMicros
const budgetThere = () => desk.google.accounts.get('2222222222')?.budgets.get('71')?.amountMicros
const writes = () =>
  desk.google.requests.filter(({ path, body }) => path.endsWith(':mutate') && body['validateOnly'] !== true)
    .length
const change = (body: object) =>
  desk.team.member.call('tenant', 'PATCH /campaigns/:campaignId/keywords/:keywordId', {
    params: { ...params, keywordId },
    body,
  })
const plan = (...changes: object[]) =>
  desk.team.member.call('tenant', 'POST /campaigns/:campaignId/change-sets', {
    params,
    body: { changes } as never,
  })
const approve = (set: { id: string; digest: string }, more = {}) =>
  desk.team.admin.call('tenant', 'POST /campaigns/:campaignId/change-sets/:changeSetId/approve', {
    params: { ...params, changeSetId: set.id },
    body: { digest: set.digest, ...more },
  })
const show = (changeSetId: string) =>
  desk.team.reviewer.call('tenant', 'GET /campaigns/:campaignId/change-sets/:changeSetId', {
    params: { ...params, changeSetId },
  })
const budget = (euros: number) => ({ kind: 'daily_budget', dailyBudgetMicros: euros * 1_000_000 })

describe('tenant.campaigns.change_keyword', () => {
  it('changes a bid at the platform at once, and shows what it has', async () => {
    expect(await change({ bidMicros: 1_200_000 })).toMatchObject({ bidMicros: 1_200_000, status: 'enabled' })
    expect(bidThere()).toBe(1_200_000n)
    expect(await change({ bidMicros: 1_200_000 })).toMatchObject({ bidMicros: 1_200_000 })
    expect(await change({ status: 'paused' })).toMatchObject({ status: 'paused' })
    expect(await change({ status: 'enabled' })).toMatchObject({ status: 'enabled' })
    expect(writes()).toBe(3)
  })

  it('lets no hostile value reach the platform', async () => {
    const before = writes()
    const raw = (bidMicros: string) =>
      desk.app.fetch(`/tenant/v1/campaigns/${params.campaignId}/keywords/${keywordId}`, {
        method: 'PATCH',
        headers: { authorization: `Bearer ${desk.team.adminToken}`, 'content-type': 'application/json' },
        body: `{"bidMicros":${bidMicros}}`,
      })
    for (const value of ['0', '-1', 'NaN', '1e400', '9223372036854775808', '0.5', '"1200000"', 'null'])
      expect((await raw(value)).status, value).toBe(400)
    // + 51 %, × 1,000, and less than half.
    for (const value of [1_812_000, 1_200_000_000, 500_000])
      expect(await refusal(change({ bidMicros: value }))).toMatchObject({
        status: 422,
        code: 'UNPROCESSABLE',
      })
    expect(writes()).toBe(before)
    expect(bidThere()).toBe(1_200_000n)
  })

  it('does nothing where someone has changed the bid at the platform since', async () => {
    const set = await plan({ kind: 'keyword_bid', keywordId, bidMicros: 1_300_000 })
    const one =
      account.criteria.get('51~601') ?? desk.google.accounts.get('2222222222')?.criteria.get('51~601')
    Object.assign(desk.google.accounts.get('2222222222')?.criteria.get('51~601') ?? one ?? {}, {
      bidMicros: 2_000_000n,
    })
    await approve(set)
    await desk.settled()
    const seen = await show(set.id)
    expect(seen).toMatchObject({
      status: 'failed',
      items: [
        {
          state: 'drifted',
          before: 1_200_000,
          after: 1_300_000,
          live: 2_000_000,
          reason: 'The platform has 2.00 EUR, not 1.20 EUR any more: nothing was done',
        },
      ],
    })
    expect(bidThere()).toBe(2_000_000n)
  })
})

describe('tenant.campaigns.plan_change_set, tenant.campaigns.change_set, tenant.campaigns.change_sets, tenant.campaigns.approve_set', () => {
  it('shows before and after, and is applied by its digest only, once', async () => {
    await ageChangeSets(desk.app, desk.clock)
    const set = await plan(budget(25), { kind: 'keyword_bid', keywordId, bidMicros: 2_500_000 })
    expect(set).toMatchObject({
      status: 'planned',
      currency: 'EUR',
      items: [
        { kind: 'daily_budget', before: 20_000_000, after: 25_000_000, state: 'planned' },
        { kind: 'keyword_bid', before: 2_000_000, after: 2_500_000, state: 'planned' },
      ],
    })
    expect(budgetThere()).toBe(20_000_000n)
    expect(await refusal(approve({ id: set.id, digest: 'a'.repeat(64) }))).toMatchObject({ status: 409 })
    const member = desk.team.member.call(
      'tenant',
      'POST /campaigns/:campaignId/change-sets/:changeSetId/approve',
      {
        params: { ...params, changeSetId: set.id },
        body: { digest: set.digest },
      },
    )
    expect(await refusal(member)).toMatchObject({ status: 403 })
    const before = writes()
    await approve(set)
    await desk.settled()
    expect(await show(set.id)).toMatchObject({
      status: 'applied',
      approvedBy: 'Ada Admin',
      items: [{ state: 'applied' }, { state: 'applied' }],
    })
    expect([budgetThere(), bidThere()]).toEqual([25_000_000n, 2_500_000n])
    expect(writes()).toBe(before + 1)
    expect(await refusal(approve(set))).toMatchObject({ status: 409 })
    const query = { 'filter.status': 'applied' } as const
    const { data } = await desk.team.member.call('tenant', 'GET /campaigns/:campaignId/change-sets', {
      params,
      query,
    })
    expect(data.map(({ id }) => id)).toContain(set.id)
    expect(new Set(data.map(({ status }) => status))).toEqual(new Set(['applied']))
  })

  it('refuses what the guardrails do not let through, each with its reason', async () => {
    // The limit was proposed at the import: half as much again as the 20 of the running campaign.
    await ageChangeSets(desk.app, desk.clock)
    const over = await plan(budget(31))
    expect(over).toMatchObject({
      status: 'refused',
      items: [{ state: 'refused', reason: expect.stringContaining('limit of the account') as string }],
    })
    expect(await plan(budget(37.5))).toMatchObject({ status: 'refused' })
    expect(await plan(budget(37.6))).toMatchObject({ status: 'refused' })
    expect(await refusal(plan({ ...budget(26), currency: 'USD' }))).toMatchObject({
      status: 400,
      field: 'changes.0.currency',
    })
    const blocked = await plan({ kind: 'add_negative', keyword: 'bread', matchType: 'phrase' })
    expect(blocked.items[0]?.reason).toContain('would block the keyword “rye bread”')
    const refusedThere = await plan({ kind: 'keyword_bid', keywordId, bidMicros: 2_500_001 })
    expect(refusedThere.items[0]?.reason).toContain('NON_MULTIPLE_OF_MINIMUM_CURRENCY_UNIT')
  })

  it('keeps to the daily limit when several sets are approved at once', async () => {
    const sets = await Promise.all(Array.from({ length: 8 }, (_, i) => plan(budget(26 + i * 0.5))))
    await Promise.all(sets.map((set) => approve(set)))
    await desk.settled()
    expect(Number(budgetThere())).toBeLessThanOrEqual(30_000_000)
    const all = await Promise.all(sets.map(({ id }) => show(id)))
    // The first one moves the budget, so that the others find another value than they were planned with.
    expect(all.filter(({ status }) => status === 'applied')).toHaveLength(1)
  })

  it('spends no more where the limit of the account is not known any more', async () => {
    const there = budgetThere()
    const set = await plan(budget(Number(there) / 1_000_000 + 0.1))
    const says = (currency: string) =>
      desk.app.db.write((tx) => tx.run('update ad_limits set currency = ?', [currency]))
    await says('JPY')
    await approve(set)
    await desk.settled()
    await says('EUR')
    const reason = 'No daily limit is known for this account'
    expect((await show(set.id)).items).toMatchObject([{ state: 'refused', reason }])
    expect(budgetThere()).toBe(there)
  })
})

describe('the request of an item', () => {
  const lastMutate = () => desk.google.requests.findLast(({ path }) => path.endsWith(':mutate'))?.id
  const next = () => Number(bidThere()) + 100_000

  it('is named as the platform does, where it did the item or refused it, so that its support can be asked', async () => {
    const refused = await plan({ kind: 'keyword_bid', keywordId, bidMicros: next() + 1 })
    expect(refused.items).toMatchObject([{ state: 'refused', requestId: lastMutate() }])
    const done = await plan({ kind: 'keyword_bid', keywordId, bidMicros: next() })
    expect(done.items).toMatchObject([{ state: 'planned', requestId: null }])
    await approve(done)
    await desk.settled()
    expect((await show(done.id)).items).toMatchObject([{ state: 'applied', requestId: lastMutate() }])
    const late = await plan({ kind: 'keyword_bid', keywordId, bidMicros: next() })
    const code = 'CONCURRENT_MODIFICATION'
    desk.google.mishaps.mutate.push({ status: 400, rpc: 'INVALID_ARGUMENT', family: 'databaseError', code })
    await approve(late)
    await desk.settled()
    expect((await show(late.id)).items).toMatchObject([
      { state: 'failed', reason: expect.stringContaining(code) as string, requestId: lastMutate() },
    ])
  })
})

describe('a lost answer', () => {
  it.each([['cut before'], ['cut after'], [500]] as const)(
    '%s is looked up, and nothing is applied twice',
    async (mishap) => {
      const now = Number(bidThere())
      const set = await plan({ kind: 'keyword_bid', keywordId, bidMicros: now + 100_000 })
      desk.google.mishaps.mutate.push(mishap)
      await approve(set)
      await desk.settled()
      expect(await show(set.id)).toMatchObject({
        status: 'applied',
        items: [{ state: 'applied', live: now + 100_000 }],
      })
      expect(Number(bidThere())).toBe(now + 100_000)
      expect([...desk.google.done.values()].every((times) => times === 1)).toBe(true)
    },
  )
})

describe('tenant.campaigns.undo_set', () => {
  it('puts every value back that can be, and leaves what was changed elsewhere', async () => {
    const before = [budgetThere(), bidThere()]
    const set = await plan(
      { kind: 'keyword_bid', keywordId, bidMicros: Number(before[1]) - 500_000 },
      { kind: 'add_negative', keyword: 'cheap pizza', matchType: 'exact' },
    )
    await approve(set)
    await desk.settled()
    const undo = () =>
      desk.team.member.call('tenant', 'POST /campaigns/:campaignId/change-sets/:changeSetId/undo', {
        params: { ...params, changeSetId: set.id },
      })
    const back = await undo()
    expect(back).toMatchObject({ source: 'undo', undoOfId: set.id, status: 'planned' })
    await approve(back)
    await desk.settled()
    expect((await show(back.id)).status).toBe('applied')
    expect([budgetThere(), bidThere()]).toEqual(before)
    expect(
      [...(desk.google.accounts.get('2222222222')?.negatives.values() ?? [])].map(({ text }) => text),
    ).toEqual(['free'])
  })
})
