import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { ageChangeSets } from '../../kit/ads.ts'
import { bakeryThere, budgetChange, type ChangeDesk, openChangeDesk } from './change-desk.ts'

let desk: ChangeDesk
let params: { campaignId: string }

beforeAll(async () => {
  desk = await openChangeDesk()
  for (let day = 1; day <= 9; day += 1)
    desk.account().days.push({
      campaign: bakeryThere,
      date: `2026-04-0${day}`,
      costMicros: 20_000_000n,
      impressions: 500,
      clicks: 40,
      conversions: 2,
    })
  params = { campaignId: await desk.takeOver(bakeryThere) }
})
afterAll(() => desk[Symbol.asyncDispose]())

const budgetThere = () => Number(desk.account().budgets.get('71')?.amountMicros)
const moveTo = (euros: number) =>
  desk.account().budgets.set('71', { amountMicros: BigInt(euros * 1_000_000), shared: false })

/** A tenth more of 20 is suggested, and the team alone has approved it. */
beforeEach(async () => {
  moveTo(20)
  await ageChangeSets(desk.app, desk.clock)
  await desk.app.db.write((tx) => tx.run('delete from campaign_recommendations'))
  await desk.admin.call('tenant.campaigns.sync_metrics', { params })
  await desk.settled()
  await desk.admin.call('tenant.campaigns.advise', { params })
  await desk.settled()
})

/** Applies it, the answer being lost before anything was done. @returns the set, which the platform is asked about next */
async function applied() {
  const list = () => desk.admin.call('tenant.campaigns.optimizations', { params })
  const about = async () => (await list()).data.find(({ kind }) => kind === 'limited_budget')
  const recommendationId = (await about())?.id ?? ''
  const at = { params: { ...params, recommendationId } }
  await desk.admin.call('tenant.campaigns.decide_advice', { ...at, body: { status: 'dm_approved' } })
  desk.google.mishaps.mutate.push('cut before')
  await expect(desk.admin.call('tenant.campaigns.apply_advice', at)).rejects.toMatchObject({
    details: { reason: 'unknown' },
  })
  return { id: (await about())?.changeSetId ?? '', ...params }
}

describe('the step of a recommendation', () => {
  it('is done where nothing has changed until it is applied', async () => {
    const set = await applied()
    await desk.settled()
    expect(await desk.show(set)).toMatchObject({ status: 'applied', items: [{ live: 22_000_000 }] })
  })

  it('is not taken from another budget, which someone has set at the platform in between', async () => {
    const set = await applied()
    moveTo(21)
    await desk.settled()
    expect(await desk.show(set)).toMatchObject({ items: [{ state: 'drifted', live: 21_000_000 }] })
    expect(budgetThere()).toBe(21_000_000)
  })

  it('is measured once more when it is applied, by the tenth that the team may approve', async () => {
    moveTo(18)
    const earlier = await desk.apply(await desk.plan(params.campaignId, budgetChange(20)))
    expect(earlier.status).toBe('applied')
    await ageChangeSets(desk.app, desk.clock)
    const set = await applied()
    // What was changed from 18 to 20 falls into the last day now, so that 22 is a step of more than a fifth.
    await desk.app.db.write((tx) =>
      tx.run('update ad_change_sets set applied_on = ? where id = ?', [
        new Date(desk.clock.now()),
        earlier.id,
      ]),
    )
    await desk.settled()
    expect(await desk.show(set)).toMatchObject({
      items: [
        {
          state: 'refused',
          reason: expect.stringContaining('from 18.00 EUR to 22.00 EUR, which is more than 10 %') as string,
        },
      ],
    })
    expect(budgetThere()).toBe(20_000_000)
  })
})
