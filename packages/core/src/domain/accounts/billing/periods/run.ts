import { LockMode, UniqueConstraintViolationException } from '@mikro-orm/core'
import type { Ctx } from '../../../../kernel/context.ts'
import { transact } from '../../../../kernel/transact.ts'
import { Subscription } from '../entities.ts'
import { billPeriod, isDue } from './bill.ts'
import { dueSubscriptions } from './queries.ts'

const batch = 200

/** A server that was away for longer bills the rest with the next round. */
const mostPeriods = 24

/**
 * Handles `billing.periods` jobs: bills every period that has ended, tenant by tenant, each in a transaction of its own. Any number
 * of processes may do it, and may die meanwhile: a period is billed once.
 */
export async function billDuePeriods(ctx: Ctx, _payload: object, signal?: AbortSignal): Promise<void> {
  const now = ctx.clock.date()
  let billed = 0
  for (let after = ''; !signal?.aborted; ) {
    const due = await dueSubscriptions(ctx, now, after, batch)
    for (const { id, tenantId } of due) {
      if (signal?.aborted) return
      try {
        for (let period = 0; period < mostPeriods && (await billOne(ctx, id)); period += 1) billed += 1
      } catch (error) {
        // The others must not wait for it; it is tried again with the next round.
        ctx.log.error('a subscription could not be billed', { subscriptionId: id, tenantId, error })
      }
    }
    const last = due.at(-1)
    if (!last || due.length < batch) break
    after = last.id
  }
  if (billed > 0) ctx.log.info('periods were billed', { billed })
}

/** @returns true when the next period may be due as well */
async function billOne(ctx: Ctx, id: string): Promise<boolean> {
  try {
    return await transact(ctx, async (txn) => {
      const lock = { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true } as const
      const subscription = await txn.em.findOne(Subscription, { id }, lock)
      if (!subscription || !isDue(subscription, txn.clock.date())) return false
      const before = subscription.nextBillingAt?.getTime()
      await billPeriod(txn, subscription)
      return subscription.nextBillingAt?.getTime() !== before
    })
  } catch (error) {
    // Another process has billed it in the same moment.
    if (error instanceof UniqueConstraintViolationException) return false
    throw error
  }
}
