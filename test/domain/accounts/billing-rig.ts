import { remindOfPayments } from '../../../packages/core/src/domain/accounts/billing/dunning/run.ts'
import type { SubscriptionRow } from '../../../packages/core/src/domain/accounts/billing/entities.ts'
import { billDuePeriods } from '../../../packages/core/src/domain/accounts/billing/periods/run.ts'
import type { PlanChoice } from '../../../packages/core/src/domain/accounts/billing/plans/plans.ts'
import {
  activateSubscription,
  openSubscription,
} from '../../../packages/core/src/domain/accounts/billing/subscriptions.ts'
import { Run } from '../../../packages/core/src/domain/work/runs/entities.ts'
import { heldRun } from '../../../packages/core/src/domain/work/runs/lifecycle/held-run.ts'
import type { TestApp } from '../../kit/app.ts'
import { parts } from '../agents.ts'
import { type Bench, choice } from './billing.ts'

/** A tenant whose subscription is active since now. */
export async function subscribed(
  { act, tenant }: Bench,
  changes: Partial<PlanChoice> & { zone?: string } = {},
): Promise<string> {
  const { zone = 'UTC', ...priced } = changes
  const tenantId = await tenant(zone)
  await act(async (txn) => {
    await openSubscription(txn, { tenantId, choice: await choice(txn, 'pro', priced) })
    await activateSubscription(txn, tenantId)
  })
  return tenantId
}

/** A run that has ended now and cost something. @returns its id */
export function ranFor(
  { act }: Pick<Bench, 'act'>,
  tenantId: string,
  costMicros: number,
  { kind = 'copywriter', completedAt }: { kind?: string; completedAt?: Date } = {},
): Promise<string> {
  return act(async (txn) => {
    const id = txn.newId()
    const now = txn.clock.date()
    txn.em.create(Run, {
      ...heldRun(txn, id, now),
      tenantId,
      purpose: 'work',
      agentRole: kind,
      adapter: 'local',
      model: 'm',
      prompt: '',
      systemPrompt: null,
      status: 'completed',
      open: false,
      leaseOwner: null,
      leaseUntil: null,
      costMicros,
      completedAt: completedAt ?? now,
    })
    return id
  })
}

type Rows = Array<Record<string, unknown>>
const numeric = (rows: Rows) =>
  rows.map((row) =>
    Object.fromEntries(
      Object.entries(row).map(([key, value]) => [
        key,
        typeof value === 'string' && /^-?\d+$/.test(value) ? Number(value) : value,
      ]),
    ),
  )

/** Invoices in the order of their issue, and their lines. */
export async function invoicesOf({ app }: Pick<Bench, 'app'>, tenantId: string) {
  const rows = numeric(
    await app.db.sql.all(
      'select id, number, type, status, amount, subtotal, tax, credit, withheld, discount, refunded from invoices where tenant_id = ? order by id',
      [tenantId],
    ),
  )
  const lines = numeric(
    await app.db.sql.all(
      'select invoice_id as invoice, kind, amount, tax, runs, usage_micros as micros from invoice_lines where tenant_id = ? order by invoice_id, position',
      [tenantId],
    ),
  )
  return rows.map((row) => ({
    ...row,
    lines: lines.filter(({ invoice }) => invoice === row['id']),
  })) as Array<
    Record<'amount' | 'subtotal' | 'tax' | 'credit' | 'withheld' | 'refunded', number> & {
      id: string
      number: string
      type: string
      status: string
      lines: Array<{ kind: string; amount: number; tax: number; runs: number | null; micros: number | null }>
    }
  >
}

export async function subscriptionOf({ app }: Pick<Bench, 'app'>, tenantId: string) {
  const row = await app.db.sql.get<Record<string, unknown>>(
    'select status, credit_amount, next_billing_at, period_starts_at from subscriptions where tenant_id = ? order by id desc limit 1',
    [tenantId],
  )
  const at = (value: unknown) => (value === null ? null : new Date(value as number | Date).toISOString())
  return {
    status: row?.['status'] as SubscriptionRow['status'],
    credit: Number(row?.['credit_amount']),
    next: at(row?.['next_billing_at']),
    start: at(row?.['period_starts_at']),
  }
}

/** Does what the calendar asks for, in a process of its own. */
export async function calendarOf(app: TestApp) {
  const inside = await parts(app)
  return {
    bill: () => billDuePeriods(inside.system(), {}),
    remind: () => remindOfPayments(inside.system(), {}),
    [Symbol.asyncDispose]: () => inside[Symbol.asyncDispose](),
  }
}
