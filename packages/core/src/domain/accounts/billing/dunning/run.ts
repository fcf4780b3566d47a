import { LockMode } from '@mikro-orm/core'
import type { Ctx, Transaction } from '../../../../kernel/context.ts'
import { transact } from '../../../../kernel/transact.ts'
import { lockTenant } from '../../tenants/status.ts'
import { Subscription } from '../entities.ts'
import { Invoice } from '../invoices/entities.ts'
import { openInvoices } from '../invoices/open.ts'
import { intendMails } from '../mails/intents.ts'
import { daysSince } from '../periods/dates.ts'
import { markPastDue, restoreStanding } from '../standing.ts'
import { overdueDay, reminderDue } from './policy.ts'
import { lateInvoices, pastDue } from './queries.ts'

const batch = 200

/**
 * Handles `billing.dunning` jobs: notes payments that are late, reminds of them, and stops the work of tenants that are overdue,
 * each in a transaction of its own. Any number of processes may do it, and may die meanwhile.
 */
export async function remindOfPayments(ctx: Ctx, _payload: object, signal?: AbortSignal): Promise<void> {
  const now = ctx.clock.date()
  await each(ctx, signal, (after) => lateInvoices(ctx, now, after, batch), noteLate)
  await each(ctx, signal, (after) => pastDue(ctx, after, batch), remind)
}

async function each<Row extends { id: string }>(
  ctx: Ctx,
  signal: AbortSignal | undefined,
  read: (after: string) => Promise<Row[]>,
  act: (txn: Transaction, row: Row) => Promise<void>,
): Promise<void> {
  for (let after = ''; ; ) {
    const rows = await read(after)
    for (const row of rows) {
      if (signal?.aborted) return
      try {
        await transact(ctx, (txn) => act(txn, row))
      } catch (error) {
        ctx.log.error('a missing payment could not be followed up', { id: row.id, error })
      }
    }
    const last = rows.at(-1)
    if (!last || rows.length < batch) return
    after = last.id
  }
}

const lock = { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true } as const

async function noteLate(
  txn: Transaction,
  { id, subscriptionId }: { id: string; subscriptionId: string | null },
): Promise<void> {
  const subscription = await txn.em.findOne(Subscription, { id: subscriptionId ?? '' }, lock)
  const invoice = await txn.em.findOne(Invoice, { id }, lock)
  if (!subscription || !invoice || (invoice.status !== 'pending' && invoice.status !== 'failed')) return
  markPastDue(txn, subscription, invoice.dueDate)
}

/** The mark and the mails that it stands for commit together: whatever dies between them, each is sent once. */
async function remind(txn: Transaction, { id }: { id: string }): Promise<void> {
  const subscription = await txn.em.findOne(Subscription, { id }, lock)
  if (subscription?.status !== 'past_due' || !subscription.pastDueSince) return
  const [invoice] = await openInvoices(txn, subscription.tenantId)
  // What the provider misses may have been paid otherwise, or be credited since.
  if (!invoice && subscription.provider === null) return restoreStanding(txn, subscription)
  const tenant = await lockTenant(txn, subscription.tenantId)
  // Another process was faster.
  if (tenant.awaitsPayment) return
  const now = txn.clock.date()
  const late = daysSince(subscription.pastDueSince, now, tenant.timezone)
  const isOverdue = late >= overdueDay
  const day = reminderDue(late, subscription.remindedDay)
  if (day === undefined && !isOverdue) return
  if (invoice && isOverdue) await intendMails(txn, invoice, 'overdue', late)
  else if (invoice && day !== undefined) await intendMails(txn, invoice, 'reminder', day)
  subscription.remindedDay = day ?? subscription.remindedDay
  subscription.updatedOn = now
  if (!isOverdue) return
  tenant.awaitsPayment = true
  tenant.updatedOn = now
  txn.audit({
    tenantId: tenant.id,
    resourceType: 'tenant',
    resourceId: tenant.id,
    before: { awaitsPayment: false },
    after: { awaitsPayment: true, invoice: invoice?.number ?? null, daysLate: late },
    action: 'tenant.overdue',
  })
}
