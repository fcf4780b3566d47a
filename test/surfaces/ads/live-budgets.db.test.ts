import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  addAdsCampaign,
  bakeryThere,
  budgetChange,
  type ChangeDesk,
  openChangeDesk,
  statusChange,
} from './change-desk.ts'

let desk: ChangeDesk
/** Ids here of the campaign that runs and of one that is paused. */
let running: string
let paused: string
let keywordId: string

beforeAll(async () => {
  desk = await openChangeDesk()
  addAdsCampaign(desk.account(), { id: '34', euros: 5, status: 'PAUSED' })
  running = await desk.takeOver(bakeryThere)
  paused = await desk.takeOver('34')
  keywordId = (await desk.syncKeywords(running)).get('rye bread') ?? ''
})
afterAll(() => desk[Symbol.asyncDispose]())
beforeEach(() => {
  // As the account was taken over: 20 a day are running, so that the limit is 30.
  desk.clock.advance(2 * 86_400_000)
  const { budgets, campaigns, criteria } = desk.account()
  budgets.set('71', { amountMicros: 20_000_000n, shared: false })
  budgets.set('34', { amountMicros: 5_000_000n, shared: false })
  budgets.delete('75')
  campaigns.delete('39')
  Object.assign(campaigns.get('34') ?? {}, { status: 'PAUSED', endDate: undefined })
  Object.assign(campaigns.get(bakeryThere) ?? {}, { budget: '71' })
  Object.assign(criteria.get('51~601') ?? {}, { bidMicros: 1_000_000n })
})

const budget = (id: string) => desk.account().budgets.get(id)
const statusThere = () => desk.account().campaigns.get('34')?.status
const setBudget = (id: string, more: object) => Object.assign(budget(id) ?? {}, more)
const bid = (euros: number) => ({ kind: 'keyword_bid', keywordId, bidMicros: euros * 1_000_000 })

describe('a paused campaign whose budget was raised at the platform', () => {
  it('is not enabled beyond the daily limit, though it was taken over with less', async () => {
    setBudget('34', { amountMicros: 5_000_000_000n })
    expect((await desk.plan(paused, statusChange('enabled'))).items).toMatchObject([
      { state: 'refused', reason: expect.stringContaining('leaves 10.00 EUR') as string },
    ])
  })

  it('is not enabled by a plan that was made before that', async () => {
    const set = await desk.plan(paused, statusChange('enabled'))
    expect(set.status).toBe('planned')
    setBudget('34', { amountMicros: 5_000_000_000n })
    expect(await desk.apply(set)).toMatchObject({
      status: 'failed',
      items: [{ state: 'refused', reason: 'The daily limit of the account is used up' }],
    })
    expect(statusThere()).toBe('PAUSED')
  })

  it('is enabled within the limit, by what its budget is now', async () => {
    setBudget('34', { amountMicros: 10_000_000n })
    expect(await desk.apply(await desk.plan(paused, statusChange('enabled')))).toMatchObject({
      status: 'applied',
    })
    expect(statusThere()).toBe('ENABLED')
  })

  it('is not enabled where the platform does not say what it may spend on a day', async () => {
    const reason = 'The campaign’s daily budget is not known'
    const set = await desk.plan(paused, statusChange('enabled'))
    setBudget('34', { totalMicros: 1_000_000_000n })
    expect((await desk.plan(paused, statusChange('enabled'))).items).toMatchObject([{ reason }])
    expect((await desk.apply(set)).items).toMatchObject([{ state: 'refused', reason }])
    expect(statusThere()).toBe('PAUSED')
  })
})

describe('a budget that other campaigns have come to share', () => {
  const reason = 'The budget is shared: it would move other campaigns too'

  it('is not planned to be changed', async () => {
    setBudget('71', { shared: true })
    expect((await desk.plan(running, budgetChange(21))).items).toMatchObject([{ state: 'refused', reason }])
  })

  it('is not changed by a plan that was made before that', async () => {
    const set = await desk.plan(running, budgetChange(21))
    setBudget('71', { shared: true })
    expect((await desk.apply(set)).items).toMatchObject([{ state: 'refused', reason }])
    expect(budget('71')?.amountMicros).toBe(20_000_000n)
  })

  it('leaves the set that it belongs to applied in part', async () => {
    const set = await desk.plan(running, bid(1.1), budgetChange(21))
    setBudget('71', { shared: true })
    expect(await desk.apply(set)).toMatchObject({
      status: 'partly_applied',
      error: reason,
      items: [{ state: 'applied' }, { state: 'refused', reason }],
    })
    expect(budget('71')?.amountMicros).toBe(20_000_000n)
  })

  it('is left alone where the campaign has another one now', async () => {
    const set = await desk.plan(running, budgetChange(21))
    desk.account().budgets.set('75', { amountMicros: 20_000_000n, shared: false })
    Object.assign(desk.account().campaigns.get(bakeryThere) ?? {}, { budget: '75' })
    expect((await desk.apply(set)).status).toBe('applied')
    expect([budget('71')?.amountMicros, budget('75')?.amountMicros]).toEqual([20_000_000n, 21_000_000n])
  })
})

describe('a bid above the daily budget', () => {
  const reason = 'A bid of 1.40 EUR is above the campaign’s daily budget of 1.20 EUR'

  it('is measured by the budget that the platform has, in the plan and when it is applied', async () => {
    const set = await desk.plan(running, bid(1.4))
    expect(set.status).toBe('planned')
    setBudget('71', { amountMicros: 1_200_000n })
    expect((await desk.plan(running, bid(1.4))).items).toMatchObject([{ state: 'refused', reason }])
    expect((await desk.apply(set)).items).toMatchObject([{ state: 'refused', reason }])
    expect(desk.account().criteria.get('51~601')?.bidMicros).toBe(1_000_000n)
  })

  it('is measured by the bid that the ad group has now, where the keyword has none of its own', async () => {
    const { criteria, adGroups } = desk.account()
    delete criteria.get('51~601')?.bidMicros
    Object.assign(adGroups.get('51') ?? {}, { bidMicros: 100_000n })
    // Ours has the 0.50 of the last time it was asked.
    expect((await desk.plan(running, bid(0.7))).items[0]?.reason).toContain('from 0.10 EUR to 0.70 EUR')
    expect((await desk.plan(running, bid(0.15))).status).toBe('planned')
    Object.assign(adGroups.get('51') ?? {}, { bidMicros: 500_000n })
  })
})

describe('a budget of a whole span', () => {
  /** Runs from the 1st to the 10th, both included. */
  const addSpan = (totalMicros: bigint | 'unknown') => {
    addAdsCampaign(desk.account(), { id: '39', euros: 0, status: 'ENABLED' })
    Object.assign(desk.account().campaigns.get('39') ?? {}, {
      startDate: '2026-04-01',
      endDate: '2026-04-10',
    })
    setBudget('39', { totalMicros })
  }

  it('counts by its days for the limit of the account', async () => {
    addSpan(95_000_000n)
    // 20 and 9.50 of 30.
    const { items } = await desk.plan(running, budgetChange(21))
    expect(items[0]?.reason).toContain('the limit of the account leaves 0.50 EUR')
  })

  it('leaves nothing where it is not known', async () => {
    addSpan('unknown')
    const { items } = await desk.plan(running, budgetChange(21))
    expect(items[0]?.reason).toContain('the limit of the account leaves 0.00 EUR')
  })

  it('is not changed as if it were one of a day', async () => {
    setBudget('71', { totalMicros: 20_000_000n })
    const { items } = await desk.plan(running, budgetChange(21))
    expect(items).toMatchObject([{ before: null, reason: 'The present daily budget is not known' }])
  })
})
