import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  addAdsCampaign,
  bakeryThere,
  budgetChange,
  type ChangeDesk,
  openChangeDesk,
  statusChange,
} from './change-desk.ts'

const ids = Array.from({ length: 20 }, (_, n) => String(40 + n))
let desk: ChangeDesk
let running: string
let paused: string[]

beforeAll(async () => {
  desk = await openChangeDesk()
  for (const id of ids) addAdsCampaign(desk.account(), { id, euros: 1, status: 'PAUSED' })
  // 20 a day are running, so that the limit is 30.
  running = await desk.takeOver(bakeryThere)
  paused = await desk.takeOverAll(ids)
})
afterAll(() => desk[Symbol.asyncDispose]())

describe('the daily limit of an account', () => {
  it('is kept to by twenty sets of different campaigns that are approved at once', async () => {
    const sets = await Promise.all(paused.map((id) => desk.plan(id, statusChange('enabled'))))
    // Each by itself has room enough.
    expect(sets.map(({ status }) => status)).toEqual(ids.map(() => 'planned'))
    await Promise.all(sets.map((set) => desk.approve(set)))
    await desk.settled()
    const ends = await Promise.all(sets.map((set) => desk.show(set)))
    const enabled = ids.filter((id) => desk.account().campaigns.get(id)?.status === 'ENABLED')
    expect(enabled).toHaveLength(10)
    expect(ends.filter(({ status }) => status === 'applied')).toHaveLength(10)
    const reasons = ends.flatMap(({ items }) => items.map(({ reason }) => reason)).filter(Boolean)
    expect(reasons).toEqual(Array.from({ length: 10 }, () => 'The daily limit of the account is used up'))
  })
})

describe('a set that one thing after another goes wrong with', () => {
  it('does once what was let through, after a partial failure, an error and silence', async () => {
    const { google } = desk
    const keywordId = (await desk.syncKeywords(running)).get('rye bread') ?? ''
    const bid = { kind: 'keyword_bid', keywordId, bidMicros: 1_200_001 }
    const set = await desk.plan(running, budgetChange(18), bid)
    // The platform has tried both, and takes only one.
    expect(set.items).toMatchObject([
      { state: 'planned' },
      {
        state: 'refused',
        reason: expect.stringContaining('NON_MULTIPLE_OF_MINIMUM_CURRENCY_UNIT') as string,
      },
    ])
    google.mishaps.mutate.push(500, 'cut before', 'cut after')
    google.done.clear()
    expect(await desk.apply(set)).toMatchObject({
      status: 'applied',
      items: [{ state: 'applied', live: 18_000_000 }, { state: 'refused' }],
    })
    expect(google.mishaps.mutate).toEqual([])
    expect([...google.done.values()]).toEqual([1])
    expect(desk.account().budgets.get('71')?.amountMicros).toBe(18_000_000n)
    expect(desk.account().criteria.get('51~601')?.bidMicros).toBe(1_000_000n)
  })
})
