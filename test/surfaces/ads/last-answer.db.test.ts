import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type AdsDesk, openAdsDesk } from '../../kit/ads.ts'
import { adminOf, type TestApp } from '../../kit/app.ts'

/** How often a change is sent at most. */
const tries = 6

let desk: AdsDesk
let params: { campaignId: string }
/** Whose access does not end, however much time passes. */
let admin: ReturnType<TestApp['copydesk']['as']>

beforeAll(async () => {
  desk = await openAdsDesk()
  params = { campaignId: await desk.imported() }
  admin = desk.app.copydesk.as(adminOf(desk.team))
})
afterAll(() => desk[Symbol.asyncDispose]())

const budgetThere = () => Number(desk.google.accounts.get('2222222222')?.budgets.get('71')?.amountMicros)
const writes = () =>
  desk.google.requests.filter(({ path, body }) => path.endsWith(':mutate') && body['validateOnly'] !== true)
    .length
const route = (changeSetId: string) => ({ params: { ...params, changeSetId } })
const shown = (id: string) => admin.call('tenant.campaigns.change_set', route(id))
const placeOf = 'select status, next_at from ad_change_sets where id = ?'
/** Approves a budget of one more than there is. @returns the id of the set, once nothing more is done about it */
async function approved() {
  const changes = [{ kind: 'daily_budget' as const, dailyBudgetMicros: budgetThere() + 1_000_000 }]
  const { id, digest } = await admin.call('tenant.campaigns.plan_change_set', { params, body: { changes } })
  await admin.call('tenant.campaigns.approve_set', { ...route(id), body: { digest } })
  await desk.app.until(async () => {
    // Both at once: a turn that begins in between moves the instant on, and has time limits of its own.
    const set = await desk.app.db.sql.get<{ status: string; next_at: Date | number | null }>(placeOf, [id])
    if (set?.status === 'applied' || set?.status === 'failed') return true
    // Half an hour between its last tries goes by at once.
    const waitMs = Number(set?.next_at ?? 0) - desk.clock.now()
    if (set?.status !== 'applying') desk.clock.advance(Math.max(waitMs, 1_000))
    return false
  }, 'the change set has ended')
  return id
}
const cutBefore = (times: number) => Array.from({ length: times }, () => 'cut before' as const)

describe('the lost answer of the last try', () => {
  it('is looked up, so that what was done is applied and can be taken back', async () => {
    const now = budgetThere()
    desk.google.mishaps.mutate.push(...cutBefore(tries - 1), 'cut after')
    const id = await approved()
    expect(budgetThere()).toBe(now + 1_000_000)
    expect(await shown(id)).toMatchObject({
      status: 'applied',
      error: null,
      items: [{ state: 'applied', live: now + 1_000_000 }],
    })
    const back = await admin.call('tenant.campaigns.undo_set', route(id))
    expect(back.items).toMatchObject([{ before: now + 1_000_000, after: now, state: 'planned' }])
  })

  it('is looked up without another try, and says that nothing was done', async () => {
    const [now, before] = [budgetThere(), writes()]
    desk.google.mishaps.mutate.push(...cutBefore(tries))
    const id = await approved()
    const reason = 'The answers of the platform were lost, and it shows that it was not done'
    expect(await shown(id)).toMatchObject({
      status: 'failed',
      error: reason,
      items: [{ state: 'failed', live: now, reason }],
    })
    expect([budgetThere(), writes() - before]).toEqual([now, tries])
  })

  it('is said to be unknown where the platform cannot be looked at either', async () => {
    const before = writes()
    desk.google.arrived = ({ path }) => {
      if (!path.endsWith(':mutate') && writes() - before === tries)
        desk.google.mishaps.read.push('cut before')
    }
    desk.google.mishaps.mutate.push(...cutBefore(tries))
    const id = await approved()
    desk.google.arrived = undefined
    expect(await shown(id)).toMatchObject({
      status: 'failed',
      items: [
        { state: 'failed', reason: expect.stringContaining('Whether it was done is not known') as string },
      ],
    })
    expect(writes() - before).toBe(tries)
  })
})
