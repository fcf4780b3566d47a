import type { Ctx } from '../../../../kernel/context.ts'
import { pick, select, table } from '../../../../platform/database/read.ts'
import { Subscription } from '../entities.ts'

const s = table(Subscription, 's')
const due = select(pick(s, 'id', 'tenantId'))

/** The shortest period is four weeks long: one that a suspended tenant has not reached the end of needs no look. */
const restingMs = 27 * 86_400_000

/** Subscriptions whose period had ended at an instant, after an id, as many as a batch holds. */
export function dueSubscriptions(ctx: Ctx, now: Date, after: string, limit: number) {
  return due.all(
    ctx.sql,
    `from ${s} join tenants t on t.id = s.tenant_id
     where s.status in ('active', 'past_due') and s.next_billing_at <= ? and s.id > ?
       and (s.next_billing_at <= ? or s.cancels_at_period_end = ?
         or (t.status not in ('suspended', 'cancelled') and t.awaits_payment = ?))
     order by s.id limit ?`,
    [now, after, new Date(now.getTime() - restingMs), true, false, limit],
  )
}
