import type { Transaction } from '../../../../kernel/context.ts'
import { toMicros } from '../../../../kernel/money.ts'
import { type BillingCycle, Plan, type PlanName, PlanPrice } from './entities.ts'
import { type Region, regionCodes, regions } from './regions.ts'

/** A month in the smallest unit of the region's currency; a year costs ten months. */
const seeds: ReadonlyArray<{ name: PlanName; month: Record<Region, number>; spendCapUsd?: number }> = [
  { name: 'free', month: { US: 0, IN: 0, GB: 0, EU: 0, JP: 0, KW: 0 }, spendCapUsd: 5 },
  { name: 'starter', month: { US: 29_00, IN: 1_999_00, GB: 24_00, EU: 27_00, JP: 4_300, KW: 8_900 } },
  { name: 'pro', month: { US: 99_00, IN: 6_999_00, GB: 79_00, EU: 89_00, JP: 14_800, KW: 29_900 } },
  { name: 'agency', month: { US: 299_00, IN: 19_999_00, GB: 239_00, EU: 279_00, JP: 44_800, KW: 89_900 } },
  {
    name: 'enterprise',
    month: { US: 999_00, IN: 69_999_00, GB: 799_00, EU: 929_00, JP: 149_000, KW: 299_000 },
  },
]

/** For each US dollar that agents spend beyond what a plan includes, in the smallest unit of the region's currency. */
const overageAmounts: Record<Region, number> = { US: 100, IN: 90_00, GB: 80, EU: 95, JP: 150, KW: 310 }

/** Creates the plans and prices that are missing; those that are there stay as they were set. */
export async function seedPlans(txn: Transaction): Promise<void> {
  const plans = new Map((await txn.em.find(Plan, {})).map((plan) => [plan.name, plan.id]))
  const priced = new Set((await txn.em.find(PlanPrice, {})).map(keyOf))
  const now = txn.clock.date()
  for (const [position, { name, month, spendCapUsd }] of seeds.entries()) {
    const planId = plans.get(name) ?? txn.newId()
    if (!plans.has(name)) {
      txn.em.create(Plan, {
        id: planId,
        name,
        position,
        trialDays: 0,
        includedMicros: null,
        spendCapMicros: spendCapUsd === undefined ? null : toMicros(spendCapUsd),
        createdOn: now,
        updatedOn: now,
      })
    }
    for (const region of regionCodes) {
      const cycles: Array<[BillingCycle, number]> = [['monthly', month[region]]]
      if (month[region] > 0) cycles.push(['annual', month[region] * 10])
      for (const [cycle, amount] of cycles) {
        if (priced.has(keyOf({ planId, region, cycle }))) continue
        const { currency } = regions[region]
        txn.em.create(PlanPrice, {
          id: txn.newId(),
          planId,
          region,
          currency,
          cycle,
          amount,
          overageAmount: overageAmounts[region],
          createdOn: now,
          updatedOn: now,
        })
      }
    }
  }
}

function keyOf({ planId, region, cycle }: { planId: string; region: Region; cycle: BillingCycle }): string {
  return `${planId}:${region}:${cycle}`
}
