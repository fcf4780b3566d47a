import type { Ctx, Transaction } from '../../../kernel/context.ts'
import { DomainError } from '../../../kernel/errors.ts'
import { transact } from '../../../kernel/transact.ts'
import { formatAmount } from './amounts.ts'
import type { SubscriptionRow } from './entities.ts'
import type { InvoiceRow } from './invoices/entities.ts'
import { choosePlan } from './plans/plans.ts'
import type { ChangeInvoice } from './proration.ts'
import { changeSubscription, currentSubscription } from './subscriptions.ts'

export interface PlanOrder {
  /** Name of the plan. */
  plan: string
  /** Default: as it is. */
  cycle?: 'monthly' | 'annual'
  /** For the audit log. */
  reason: string
  /** Finds out what would be billed, and changes nothing. */
  dryRun?: boolean
}

/** What a change of plan does, or would do. */
export interface PlanReceipt {
  tenantId: string
  applied: boolean
  before: PlanTerms
  after: PlanTerms
  /** What it bills at once, or gives as credit; null when nothing. Without a number when nothing was changed. */
  invoice: {
    number: string | null
    type: InvoiceRow['type']
    amount: number
    amountFormatted: string
    lines: Array<{ description: string; amount: number; amountFormatted: string }>
  } | null
}

interface PlanTerms {
  plan: string
  cycle: string
  priceAmount: number
  priceFormatted: string
}

/** Carries what a change would have done out of its transaction, which is rolled back. */
class Undone extends Error {
  readonly receipt: PlanReceipt

  constructor(receipt: PlanReceipt) {
    super('Nothing was changed')
    this.receipt = receipt
  }
}

/**
 * Moves a tenant to another plan at once and bills the difference; or does the same and takes all of it back, so that what it says is exactly
 * what would happen.
 * @throws DomainError `BAD_REQUEST` without a subscription; `VALIDATION_ERROR` on `plan`; `CONFLICT` for the plan that it has;
 *   `UNPROCESSABLE` when a period is paid for in another currency
 */
export async function setPlan(ctx: Ctx, tenantId: string, order: PlanOrder): Promise<PlanReceipt> {
  try {
    return await transact(ctx, async (txn) => {
      const receipt = await move(txn, tenantId, order)
      if (order.dryRun) throw new Undone(receipt)
      return receipt
    })
  } catch (error) {
    if (error instanceof Undone) return error.receipt
    throw error
  }
}

async function move(
  txn: Transaction,
  tenantId: string,
  { plan, cycle, reason, dryRun = false }: PlanOrder,
): Promise<PlanReceipt> {
  const subscription = await currentSubscription(txn, tenantId)
  if (!subscription) throw new DomainError('BAD_REQUEST', 'The tenant has no subscription')
  const usual = subscription.cycle === 'quarterly' ? 'monthly' : subscription.cycle
  const choice = await choosePlan(txn, { name: plan, region: subscription.region, cycle: cycle ?? usual })
  if (choice.priceId !== null && choice.priceId === subscription.priceId)
    throw new DomainError('CONFLICT', `The tenant has the plan ${choice.label}, ${choice.cycle}, already`)
  const before = termsOf(subscription)
  const billed = await changeSubscription(txn, subscription, choice)
  await txn.em.flush()
  const after = termsOf(subscription)
  txn.audit({
    tenantId,
    resourceType: 'subscription',
    resourceId: subscription.id,
    before,
    after: { ...after, action: 'change_plan', reason },
    action: 'billing.override',
  })
  return {
    tenantId,
    applied: !dryRun,
    before,
    after,
    invoice: billed ? shownInvoice(billed, dryRun) : null,
  }
}

function shownInvoice({ invoice, items }: ChangeInvoice, dryRun: boolean): PlanReceipt['invoice'] {
  const { number, type, amount, currency } = invoice
  // Amounts of a credit note are positive.
  const sign = type === 'credit_note' ? -1 : 1
  return {
    // The number goes to the next invoice.
    number: dryRun ? null : number,
    type,
    amount,
    amountFormatted: formatAmount(amount, currency),
    lines: items.map((item) => ({
      description: item.description,
      amount: sign * item.amount,
      amountFormatted: formatAmount(sign * item.amount, currency),
    })),
  }
}

function termsOf({ planLabel: plan, cycle, priceAmount, currency }: SubscriptionRow): PlanTerms {
  return { plan, cycle, priceAmount, priceFormatted: formatAmount(priceAmount, currency) }
}
