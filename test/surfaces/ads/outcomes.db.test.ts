import { describe, expect, it } from 'vitest'
import { createIds, createSystemClock } from '../../../packages/core/src/platform/clock.ts'
import { openAdsDesk } from '../../kit/ads.ts'
import { adminOf } from '../../kit/app.ts'

const day = 86_400_000
const ids = createIds(createSystemClock())

/** A desk with a campaign whose figures its platform reports by the day, and what people do with it. */
async function openOutcomeDesk() {
  const desk = await openAdsDesk()
  const params = { campaignId: await desk.imported() }
  const { sql } = desk.app.db
  const account = desk.google.accounts.get('2222222222')
  const admin = desk.app.copydesk.as(adminOf(desk.team))
  const dateAt = (days: number) => new Date(desk.clock.now() + days * day).toISOString().slice(0, 10)
  const approve = async (set: { id: string; digest: string }) => {
    await admin.call('tenant.campaigns.approve_set', {
      params: { ...params, changeSetId: set.id },
      body: { digest: set.digest },
    })
    await desk.settled()
  }
  const daily = async (kind: string) => {
    const id = ids()
    await desk.app.db.write((tx) =>
      tx.run(
        `insert into job (id, kind, tenant_id, payload, status, priority, run_at, attempt, max_attempts, asked_again, failures, created_at)
         values (?, ?, null, '{}', 'waiting', 0, ?, 0, 3, ?, '[]', ?)`,
        [id, kind, desk.clock.date(), false, desk.clock.date()],
      ),
    )
    const open = `select 1 as one from job where id = ? and status in ('waiting', 'running')`
    await desk.app.until(async () => {
      if (!(await sql.get(open, [id]))) return true
      // Queues are looked at every few seconds of this clock.
      desk.clock.advance(1_000)
      return false
    }, `${kind} has run`)
    await desk.settled()
  }
  return {
    ...desk,
    /** What the platform counts for days, which are counted from today. */
    figures(from: number, to: number, euros: number, clicks: number, conversions: number) {
      for (let n = from; n <= to; n += 1)
        account?.days.push({
          campaign: '9007199254740993',
          date: dateAt(n),
          impressions: 1_000,
          clicks,
          costMicros: BigInt(euros) * 1_000_000n,
          conversions,
        })
    },
    async changeBudget(euros: number): Promise<string> {
      const set = await admin.call('tenant.campaigns.plan_change_set', {
        params,
        body: { changes: [{ kind: 'daily_budget', dailyBudgetMicros: euros * 1e6 }] },
      })
      await approve(set)
      return set.id
    },
    undo: async (changeSetId: string) =>
      approve(await admin.call('tenant.campaigns.undo_set', { params: { ...params, changeSetId } })),
    /** Time passes, and the daily jobs run. */
    async pass(days: number) {
      desk.clock.advance(days * day)
      await daily('ads.daily')
      await daily('ads.outcomes')
    },
    outcomes: async (changeSetId: string) =>
      (await admin.call('tenant.campaigns.change_set', { params: { ...params, changeSetId } })).outcomes,
    told: () =>
      sql.all<{ title: string; body: string; user_id: string }>(
        `select title, body, user_id from notifications where title like '% days after: %' order by id`,
      ),
  }
}

type OutcomeDesk = Awaited<ReturnType<typeof openOutcomeDesk>>
const opened = async (act: (desk: OutcomeDesk) => Promise<void>) => {
  await using desk = await openOutcomeDesk()
  await act(desk)
}

describe('the outcome of a change set', () => {
  it('holds 7 and 14 days before and after it against each other, once each, and tells who approved it', () =>
    opened(async (desk) => {
      desk.figures(-14, -1, 20, 40, 2)
      // The day of the change belongs to neither side.
      desk.figures(0, 0, 999, 999, 99)
      const id = await desk.changeBudget(25)
      desk.figures(1, 14, 25, 50, 2.5)
      await desk.pass(7)
      expect(await desk.outcomes(id)).toEqual([])
      await desk.pass(1)
      await desk.pass(0)
      expect(await desk.outcomes(id)).toMatchObject([
        {
          days: 7,
          otherSets: 0,
          before: { currency: 'EUR', spend: 140, clicks: 280, conversions: 14, costPerConversion: 10 },
          after: { currency: 'EUR', spend: 175, clicks: 350, conversions: 17.5, costPerConversion: 10 },
        },
      ])
      await desk.pass(7)
      await desk.pass(30)
      expect((await desk.outcomes(id)).map(({ days, after }) => [days, after.spend])).toEqual([
        [7, 175],
        [14, 350],
      ])
      const told = await desk.told()
      expect(told.map(({ user_id }) => user_id)).toEqual([desk.team.adminId, desk.team.adminId])
      expect(told[0]?.title).toMatch(/^7 days after: /)
      expect(told[0]?.body).toContain(
        'spend 140.00 EUR → 175.00 EUR, clicks 280 → 350, conversions 14 → 17.5, cost of a conversion 10.00 EUR → 10.00 EUR',
      )
    }))

  it('waits for figures that do not come, and gives up after two weeks', () =>
    opened(async (desk) => {
      const id = await desk.changeBudget(25)
      desk.google.accepts = () => false
      for (let days = 0; days < 24; days += 6) await desk.pass(6)
      expect(await desk.outcomes(id)).toEqual([])
      expect(await desk.told()).toEqual([])
    }))

  it('names other changes of the same days', () =>
    opened(async (desk) => {
      const id = await desk.changeBudget(25)
      await desk.pass(2)
      await desk.changeBudget(26)
      await desk.pass(6)
      expect(await desk.outcomes(id)).toMatchObject([{ days: 7, otherSets: 1 }])
      expect((await desk.told())[0]?.body).toContain('Another change to the campaign fell into these days')
    }))

  it('is none for what was taken back', () =>
    opened(async (desk) => {
      const id = await desk.changeBudget(25)
      await desk.undo(id)
      await desk.pass(8)
      expect(await desk.outcomes(id)).toEqual([])
      expect(await desk.told()).toEqual([])
    }))
})
