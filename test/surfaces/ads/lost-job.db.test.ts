import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bakeryThere, budgetChange, type ChangeDesk, openChangeDesk } from './change-desk.ts'

let desk: ChangeDesk
let campaignId: string

beforeAll(async () => {
  desk = await openChangeDesk()
  campaignId = await desk.takeOver(bakeryThere)
})
afterAll(() => desk[Symbol.asyncDispose]())

type Given = { id: string; digest: string; campaignId: string }
const budgetThere = () => Number(desk.account().budgets.get('71')?.amountMicros)
const writes = () =>
  desk.google.requests.filter(({ path, body }) => path.endsWith(':mutate') && body['validateOnly'] !== true)
    .length

/** A set that a turn has in hand, whose process has died, and whose job is no more. */
async function abandoned(set: Given, how: { touched: boolean; attempt?: number }): Promise<void> {
  // Before its row says so: no turn takes it then.
  await desk.app.db.write((tx) => tx.run("delete from job where kind = 'ads.apply'"))
  await desk.app.db.write((tx) =>
    tx.run(
      "update ad_change_sets set status = 'applying', attempt = ?, touched = ?, lease_until = ?, next_at = ? where id = ?",
      [
        how.attempt ?? 1,
        how.touched,
        new Date(desk.clock.now() - 360_000),
        new Date(desk.clock.now() - 360_000),
        set.id,
      ],
    ),
  )
}

/** Lets the calendar come to its next sweep, and what it finds come to its end. */
async function swept(set: Given) {
  desk.clock.advance(360_000)
  await desk.settled()
  return desk.show(set)
}

describe('a change set whose job was lost', () => {
  it('is resumed, and does what was not done', async () => {
    const set = await desk.plan(campaignId, budgetChange(21))
    await abandoned(set, { touched: false })
    expect(await swept(set)).toMatchObject({ status: 'applied', items: [{ live: 21_000_000 }] })
    expect(budgetThere()).toBe(21_000_000)
  })

  it('is ended where the platform has it already, and sends nothing', async () => {
    const set = await desk.plan(campaignId, budgetChange(22))
    await abandoned(set, { touched: true })
    desk.account().budgets.set('71', { amountMicros: 22_000_000n, shared: false })
    const before = writes()
    expect(await swept(set)).toMatchObject({ status: 'applied', items: [{ state: 'applied' }] })
    expect(writes()).toBe(before)
  })

  it('does not touch what people have changed meanwhile', async () => {
    const set = await desk.plan(campaignId, budgetChange(23))
    await abandoned(set, { touched: true })
    desk.account().budgets.set('71', { amountMicros: 19_000_000n, shared: false })
    expect(await swept(set)).toMatchObject({
      status: 'failed',
      items: [{ state: 'drifted', live: 19_000_000 }],
    })
    expect(budgetThere()).toBe(19_000_000)
  })

  it('ends after thirty turns that have ended nothing, so that others of its account go on', async () => {
    const [set, other] = [
      await desk.plan(campaignId, budgetChange(20)),
      await desk.plan(campaignId, budgetChange(18)),
    ]
    await abandoned(set, { touched: true, attempt: 30 })
    expect(await swept(set)).toMatchObject({
      status: 'failed',
      items: [
        { state: 'failed', reason: expect.stringContaining('Whether it was done is not known') as string },
      ],
    })
    expect(await desk.apply(other)).toMatchObject({ status: 'applied' })
    expect(budgetThere()).toBe(18_000_000)
  })
})
