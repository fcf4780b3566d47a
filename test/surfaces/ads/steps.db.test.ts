import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { bakeryThere, budgetChange, type ChangeDesk, openChangeDesk, statusChange } from './change-desk.ts'

let desk: ChangeDesk
let campaignId: string
let keywordId: string

beforeAll(async () => {
  desk = await openChangeDesk()
  campaignId = await desk.takeOver(bakeryThere)
  keywordId = (await desk.syncKeywords(campaignId)).get('rye bread') ?? ''
})
afterAll(() => desk[Symbol.asyncDispose]())
beforeEach(() => {
  desk.clock.advance(2 * 86_400_000)
  desk.account().budgets.set('71', { amountMicros: 20_000_000n, shared: false })
  Object.assign(desk.account().criteria.get('51~601') ?? {}, { bidMicros: 1_000_000n })
})

const bidThere = () => Number(desk.account().criteria.get('51~601')?.bidMicros)
const bid = (euros: number) => ({ kind: 'keyword_bid', keywordId, bidMicros: Math.round(euros * 1_000_000) })
/** At once, without anyone who approves it. */
const change = (euros: number) =>
  desk.admin.call('tenant.campaigns.change_keyword', {
    params: { campaignId, keywordId },
    body: { bidMicros: Math.round(euros * 1_000_000) },
  })

describe('a step of a bid or budget', () => {
  it('does not grow by being taken again and again within a day', async () => {
    await change(1.5)
    await expect(change(2.25)).rejects.toMatchObject({ code: 'UNPROCESSABLE' })
    await expect(change(1.6)).rejects.toThrow(
      'from 1.00 EUR to 1.60 EUR, which is more than 50 % within a day',
    )
    expect(bidThere()).toBe(1_500_000)
    desk.clock.advance(86_400_000 + 1_000)
    await change(2.25)
    expect(bidThere()).toBe(2_250_000)
  })

  it('does not grow downwards either', async () => {
    await change(0.5)
    await expect(change(0.4)).rejects.toThrow(
      'from 1.00 EUR to 0.40 EUR, which is more than 50 % within a day',
    )
    expect(bidThere()).toBe(500_000)
  })

  it('is measured from the lowest value that one of our sets began with', async () => {
    await change(0.6)
    await change(0.8)
    await expect(change(1)).rejects.toThrow('from 0.60 EUR to 1.00 EUR')
  })

  it('may lower what was raised far at the platform', async () => {
    await change(1.2)
    Object.assign(desk.account().criteria.get('51~601') ?? {}, { bidMicros: 9_000_000n })
    await change(5)
    expect(bidThere()).toBe(5_000_000)
  })

  it('does not count what was taken back, and can be taken back', async () => {
    const set = await desk.apply(await desk.plan(campaignId, bid(0.6)))
    const params = { campaignId, changeSetId: set.id }
    const undo = await desk.admin.call('tenant.campaigns.undo_set', { params })
    expect(await desk.apply(undo)).toMatchObject({ status: 'applied' })
    expect(bidThere()).toBe(1_000_000)
    await change(1.5)
  })

  it('is measured once more when a plan is applied', async () => {
    Object.assign(desk.account().criteria.get('51~601') ?? {}, { bidMicros: 1_500_000n })
    const set = await desk.plan(campaignId, bid(2.2))
    expect(set.status).toBe('planned')
    Object.assign(desk.account().criteria.get('51~601') ?? {}, { bidMicros: 1_000_000n })
    await change(1.5)
    expect((await desk.apply(set)).items).toMatchObject([
      { state: 'refused', reason: expect.stringContaining('from 1.00 EUR to 2.20 EUR') as string },
    ])
    expect(bidThere()).toBe(1_500_000)
  })

  it('is one of budgets likewise', async () => {
    await desk.app.db.write((tx) => tx.run('update ad_limits set daily_cap_micros = ?', [500_000_000]))
    expect(await desk.apply(await desk.plan(campaignId, budgetChange(28)))).toMatchObject({
      status: 'applied',
    })
    const { items } = await desk.plan(campaignId, budgetChange(32))
    expect(items[0]?.reason).toContain('from 20.00 EUR to 32.00 EUR, which is more than 50 % within a day')
    expect((await desk.plan(campaignId, budgetChange(30))).status).toBe('planned')
  })
})

describe('two changes of one thing in one set', () => {
  const negative = (keyword: string) => ({ kind: 'add_negative', keyword, matchType: 'exact' })

  it.each<[string, () => object[]]>([
    ['a daily budget', () => [budgetChange(15), budgetChange(14)]],
    ['a state', () => [statusChange('paused'), statusChange('enabled')]],
    ['a bid', () => [bid(1.1), bid(1.2)]],
    ['a negative keyword', () => [negative('cheap  cake'), negative('Cheap cake')]],
  ])('are refused: %s', async (_, changes) => {
    await expect(desk.plan(campaignId, ...changes())).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      field: 'changes.1',
      message: 'Another change of this set is about the same thing',
    })
  })

  it('are let through where they are about different things', async () => {
    const set = await desk.plan(campaignId, bid(1.1), budgetChange(19), negative('a'), negative('b'))
    expect(set.items.map(({ state }) => state)).toEqual(['planned', 'planned', 'planned', 'planned'])
  })
})
