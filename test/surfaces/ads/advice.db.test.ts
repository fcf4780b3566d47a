import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type AdsDesk, openAdsDesk } from '../../kit/ads.ts'
import type { AdsAccount } from '../../kit/google-ads-rows.ts'
import { refusal } from '../refusal.ts'

let desk: AdsDesk
let account: AdsAccount
let params: { campaignId: string }
const bakery = '9007199254740993'

beforeAll(async () => {
  desk = await openAdsDesk()
  account = desk.google.accounts.get('2222222222') as AdsAccount
  // The budget of 20 a day is used up, at 10 for a conversion; “rye bread” brings nothing for its money.
  for (let day = 1; day <= 9; day += 1)
    account.days.push({
      campaign: bakery,
      date: `2026-04-0${day}`,
      costMicros: 20_000_000n,
      impressions: 500,
      clicks: 40,
      conversions: 2,
    })
  account.terms.push({
    campaign: bakery,
    adGroup: '51',
    term: 'rye bread cheap',
    matchType: 'PHRASE',
    date: '2026-04-02',
    costMicros: 25_000_000n,
    impressions: 600,
    clicks: 30,
    conversions: 0,
  })
  params = { campaignId: await desk.imported() }
  await desk.team.member.call('tenant', 'POST /campaigns/:campaignId/keywords/sync', { params })
  await desk.settled()
})
afterAll(() => desk[Symbol.asyncDispose]())

const advise = async () => {
  await desk.team.member.call('tenant', 'POST /campaigns/:campaignId/optimizations/trigger', { params })
  await desk.settled()
}
const list = async (query = {}) =>
  (await desk.team.reviewer.call('tenant', 'GET /campaigns/:campaignId/optimizations', { params, query }))
    .data
const about = async (kind: string) => (await list()).find((one) => one.kind === kind)
type Status = 'skipped' | 'dm_approved' | 'client_approved' | 'client_rejected'
const decide = (
  by: 'admin' | 'member' | 'reviewer',
  recommendationId: string,
  status: Status,
  note?: string,
) =>
  desk.team[by].call('tenant', 'PATCH /campaigns/:campaignId/optimizations/:recommendationId', {
    params: { ...params, recommendationId },
    body: { status, ...(note !== undefined && { note }) },
  })
const apply = (recommendationId: string, by: 'admin' | 'member' = 'admin') =>
  desk.team[by].call('tenant', 'POST /campaigns/:campaignId/optimizations/:recommendationId/apply', {
    params: { ...params, recommendationId },
  })

describe('tenant.campaigns.advise, tenant.campaigns.insights, tenant.campaigns.optimizations', () => {
  it('finds what costs money and brings nothing, and budgets that hold back, with their numbers', async () => {
    await advise()
    await advise()
    const found = await list()
    expect(found.map(({ kind, priority, status }) => [kind, priority, status])).toEqual([
      ['limited_budget', 'high', 'pending'],
      ['wasted_keyword', 'high', 'pending'],
    ])
    expect(found[0]?.rationale).toContain(
      '100 % of its budget of 20.00 EUR a day, at 10.00 EUR for a conversion',
    )
    expect(found[1]?.rationale).toContain('30 clicks for 25.00 EUR without a conversion')
    const { data } = await desk.team.member.call('tenant', 'GET /campaigns/:campaignId/metrics/insights', {
      params,
    })
    expect(data.map(({ id }) => id).toSorted()).toEqual(found.map(({ id }) => id).toSorted())
  })
})

describe('tenant.campaigns.apply_advice, tenant.campaigns.decide_advice', () => {
  it('lets an admin apply a tenth more budget without the client, through a change set', async () => {
    const id = (await about('limited_budget'))?.id ?? ''
    expect(await refusal(apply(id))).toMatchObject({ status: 409 })
    await decide('member', id, 'dm_approved', 'It sells')
    expect(await refusal(apply(id, 'member'))).toMatchObject({ status: 403 })
    const done = await apply(id)
    expect(done).toMatchObject({
      status: 'applied',
      dmNote: 'It sells',
      appliedAt: expect.any(String) as string,
    })
    expect(desk.google.accounts.get('2222222222')?.budgets.get('71')?.amountMicros).toBe(22_000_000n)
    const set = await desk.team.member.call('tenant', 'GET /campaigns/:campaignId/change-sets/:changeSetId', {
      params: { ...params, changeSetId: done.changeSetId ?? '' },
    })
    expect(set).toMatchObject({ source: 'recommendation', status: 'applied' })
    expect(await refusal(apply(id))).toMatchObject({ status: 409 })
  })

  it('asks the client about all else, who may send it back', async () => {
    const id = (await about('wasted_keyword'))?.id ?? ''
    expect(await refusal(decide('reviewer', id, 'skipped'))).toMatchObject({ status: 403 })
    expect(await refusal(decide('reviewer', id, 'client_approved'))).toMatchObject({ status: 409 })
    await decide('admin', id, 'dm_approved')
    expect(await refusal(apply(id))).toMatchObject({ status: 409 })
    expect(await refusal(decide('member', id, 'client_approved'))).toMatchObject({ status: 403 })
    expect(await decide('reviewer', id, 'client_rejected', 'We like rye')).toMatchObject({
      status: 'dm_reviewing',
      clientNote: 'We like rye',
    })
    await decide('member', id, 'dm_approved')
    await decide('reviewer', id, 'client_approved')
    expect(await apply(id)).toMatchObject({ status: 'applied' })
    expect(desk.google.accounts.get('2222222222')?.criteria.get('51~601')?.status).toBe('PAUSED')
    expect(await list({ status: 'applied' })).toHaveLength(2)
  })
})

describe('tenant.campaigns.advise in a currency without cents', () => {
  it('suggests a budget that the platform takes, and none that is no more', async () => {
    await using own = await openAdsDesk()
    const at = own.google.accounts.get('2222222222') as AdsAccount
    at.currency = 'JPY'
    const budget = at.budgets.get('71') as { amountMicros: bigint }
    const suggested = async (yen: bigint) => {
      budget.amountMicros = yen * 1_000_000n
      at.days.splice(0)
      for (let day = 1; day <= 9; day += 1)
        at.days.push({
          campaign: bakery,
          date: `2026-04-0${day}`,
          costMicros: budget.amountMicros,
          impressions: 500,
          clicks: 40,
          conversions: 2,
        })
      const where = { params: { campaignId } }
      await own.team.member.call('tenant', 'POST /campaigns/:campaignId/metrics/sync', where)
      await own.settled()
      await own.team.member.call('tenant', 'POST /campaigns/:campaignId/optimizations/trigger', where)
      await own.settled()
      const { data } = await own.team.member.call('tenant', 'GET /campaigns/:campaignId/optimizations', {
        ...where,
        query: {},
      })
      return data
    }
    budget.amountMicros = 1_005_000_000n
    const campaignId = await own.imported()
    expect(await suggested(5n)).toEqual([])
    const [one, ...others] = await suggested(1_005n)
    expect(others).toEqual([])
    expect(one?.suggestedAction).toBe('Raise the daily budget from 1005.00 JPY to 1105.00 JPY')
    const here = { params: { campaignId, recommendationId: one?.id ?? '' } }
    const route = '/campaigns/:campaignId/optimizations/:recommendationId'
    await own.team.member.call('tenant', `PATCH ${route}`, { ...here, body: { status: 'dm_approved' } })
    await own.team.admin.call('tenant', `POST ${route}/apply`, here)
    expect(at.budgets.get('71')?.amountMicros).toBe(1_105_000_000n)
  })
})
