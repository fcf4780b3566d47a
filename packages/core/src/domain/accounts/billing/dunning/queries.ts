import type { Ctx } from '../../../../kernel/context.ts'
import { pick, select, table } from '../../../../platform/database/read.ts'
import { Subscription } from '../entities.ts'
import { Invoice } from '../invoices/entities.ts'

const i = table(Invoice, 'i')
const s = table(Subscription, 's')
const late = select(pick(i, 'id', 'subscriptionId'))
const past = select(pick(s, 'id'))

/** Open invoices whose due date has passed and whose subscription is not known to be past due, after an id. */
export function lateInvoices(ctx: Ctx, now: Date, after: string, limit: number) {
  return late.all(
    ctx.sql,
    `from ${i} join ${s} on s.id = i.subscription_id
     where i.status in ('pending', 'failed') and i.due_date < ? and i.id > ? and s.past_due_since is null
       and s.status in ('active', 'past_due') and s.next_billing_at is not null
     order by i.id limit ?`,
    [now, after, limit],
  )
}

/** Subscriptions with a missing payment whose tenants still work, after an id. */
export function pastDue(ctx: Ctx, after: string, limit: number) {
  return past.all(
    ctx.sql,
    `from ${s} join tenants t on t.id = s.tenant_id
     where s.past_due_since is not null and s.status = 'past_due' and t.awaits_payment = ?
       and t.status in ('active', 'trial') and s.id > ? order by s.id limit ?`,
    [false, after, limit],
  )
}
