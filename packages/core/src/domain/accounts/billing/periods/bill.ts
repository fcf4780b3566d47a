import type { Transaction } from '../../../../kernel/context.ts'
import { isSuspended, Tenant } from '../../tenants/entities.ts'
import type { SubscriptionRow } from '../entities.ts'
import type { InvoiceRow } from '../invoices/entities.ts'
import { issueInvoice } from '../invoices/issue.ts'
import { planItems } from '../invoices/plan-items.ts'
import { mailInvoice } from '../mails/intents.ts'
import { usageItems } from '../usage/items.ts'
import { meterRuns } from '../usage/queries.ts'
import { spansOf } from '../usage/spans.ts'
import { billingDayAfter, monthsOf } from './dates.ts'
import { endSubscription } from './end.ts'

/** True when a period has ended and the next is to be billed. */
export function isDue({ status, nextBillingAt }: SubscriptionRow, now: Date): boolean {
  return (status === 'active' || status === 'past_due') && nextBillingAt !== null && nextBillingAt <= now
}

/**
 * Bills what is due: the usage of the period that has ended, and the next cycle. A subscription that was cancelled ends with the
 * usage alone. While its tenant is suspended or does not pay, nothing is billed, and whole periods of that time are passed over.
 * The subscription is locked and due.
 * @returns the invoice; undefined when there is nothing to bill
 */
export async function billPeriod(
  txn: Transaction,
  subscription: SubscriptionRow,
): Promise<InvoiceRow | undefined> {
  const now = txn.clock.date()
  const { timezone, status, awaitsPayment } = await txn.em.findOneOrFail(
    Tenant,
    { id: subscription.tenantId },
    { refresh: true },
  )
  const start = subscription.nextBillingAt
  if (!start) return undefined
  const next = billingDayAfter(start, monthsTo(subscription), timezone)
  if (isSuspended(status) || awaitsPayment) {
    if (subscription.cancelsAtPeriodEnd) await endSubscription(txn, subscription)
    else if (next <= now) moveOn(txn, subscription, { start, end: next })
    return undefined
  }
  const id = txn.newId()
  const ended = { start: subscription.periodStartsAt ?? start, end: start }
  const from = subscription.startedAt ?? ended.start
  const spans = spansOf(subscription, ended.start, ended.end)
  const used = usageItems(await meterRuns(txn, subscription.tenantId, id, { from, ...ended }, spans))
  const coming = { start, end: next }
  const ends = subscription.cancelsAtPeriodEnd
  const cycle = ends || isCovered(subscription) ? [] : planItems(subscription, coming)
  const items = [...cycle, ...used]
  const isBilled = items.some(({ amount }) => amount > 0)
  const invoice = isBilled
    ? await issueInvoice(txn, subscription, {
        id,
        type: 'subscription',
        items,
        ...(!ends && { period: coming }),
      })
    : undefined
  if (ends) await endSubscription(txn, subscription)
  else moveOn(txn, subscription, coming)
  if (invoice) await mailInvoice(txn, invoice)
  return invoice
}

function moveOn(
  txn: Transaction,
  subscription: SubscriptionRow,
  { start, end }: { start: Date; end: Date },
): void {
  subscription.periodStartsAt = start
  subscription.nextBillingAt = end
  subscription.earlierTerms = null
  subscription.updatedOn = txn.clock.date()
}

/**
 * The first billing date is the first day of the month after the activation, whatever the cycle. What was paid at the start
 * covers a quarter or a year, so that day asks for usage only, and the rest of the cycle follows.
 */
function isCovered({ cycle, startedAt, periodStartsAt }: SubscriptionRow): boolean {
  return cycle !== 'monthly' && startedAt !== null && startedAt.getTime() === periodStartsAt?.getTime()
}

function monthsTo(subscription: SubscriptionRow): number {
  return monthsOf[subscription.cycle] - (isCovered(subscription) ? 1 : 0)
}
