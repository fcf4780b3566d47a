import type { Ctx } from '../../../kernel/context.ts'
import { notFound } from '../../../kernel/errors.ts'
import { monthStart } from '../../../kernel/periods.ts'
import { firstIdAt } from '../../../platform/clock.ts'
import { count, exists, pick, type RowOf, select, table } from '../../../platform/database/read.ts'
import { Subscription, type SubscriptionStatus } from '../../accounts/billing/entities.ts'
import { Invoice } from '../../accounts/billing/invoices/entities.ts'
import { listUsers } from '../../accounts/identity/list-queries.ts'
import { tenantSummary } from '../../accounts/tenants/queries.ts'
import { listAgents } from '../../agents/configuration/list-queries.ts'
import { basisOf } from '../costs/queries.ts'
import type { TenantDetail } from './schemas.ts'

/**
 * One tenant with what it uses, what it pays, its agents and its people. Serves `GET /admin/v1/tenants/:tenantId`.
 * @throws DomainError `NOT_FOUND`
 */
export async function getTenant(ctx: Ctx, tenantId: string): Promise<TenantDetail> {
  const summary = await tenantSummary(ctx, tenantId)
  const basis = await basisOf(ctx, tenantId)
  if (!basis) throw notFound('tenant')
  const { timezone } = basis
  const people = await listUsers(ctx, { 'filter.tenantId': tenantId, limit: 1_000, order: 'asc' })
  const { id, name, domain, plan, status, spendCapUsd, featureFlags, monthlySpendUsd, createdOn } = summary
  return {
    id,
    name,
    domain,
    plan,
    status,
    spendCapUsd,
    featureFlags,
    deploymentMode: ctx.services.settings.live ? 'hosted' : 'local',
    usage: { monthlySpendUsd, ...(await usageOf(ctx, tenantId, timezone)) },
    billing: await billingOf(ctx, tenantId),
    agents: await listAgents(ctx, tenantId),
    users: people.data,
    timezone,
    createdOn,
  }
}

const used = select({
  monthlyLlmCallCount: count('(select count(*) from llm_calls where tenant_id = ? and id >= ?)'),
  totalActivities: count('(select count(*) from activities where tenant_id = ?)'),
  storageBytes: count(
    '(select sum(octet_length(o.text)) from activities x join outputs o on o.activity_id = x.id where x.tenant_id = ?)',
  ),
})

async function usageOf(ctx: Ctx, tenantId: string, timezone: string): Promise<RowOf<typeof used>> {
  const since = monthStart(ctx.clock.date(), timezone)
  const usage = await used.get(ctx.sql, '', [tenantId, firstIdAt(since), tenantId, tenantId])
  return usage ?? { monthlyLlmCallCount: 0, totalActivities: 0, storageBytes: 0 }
}

const s = table(Subscription, 's')
const i = table(Invoice, 'i')
const latest = select(pick(s, 'id', 'status', 'nextBillingAt'))
const payment = select(pick(i, 'amount', 'currency', 'paidOn'))

async function billingOf(ctx: Ctx, tenantId: string): Promise<TenantDetail['billing']> {
  const subscription = await latest.get(
    ctx.sql,
    `from ${s} where tenant_id = ? order by case when status = 'cancelled' then 1 else 0 end, id desc limit 1`,
    [tenantId],
  )
  const paid = await payment.get(
    ctx.sql,
    `from ${i} where tenant_id = ? and status = 'paid' order by paid_on desc, id desc limit 1`,
    [tenantId],
  )
  const late = await exists(
    ctx.sql,
    `from invoices where tenant_id = ? and status in ('pending', 'failed') and due_date < ?`,
    [tenantId, ctx.clock.date()],
  )
  const nextBillingDate = subscription?.nextBillingAt
  const lastPaymentDate = paid?.paidOn
  const state = subscription && paymentStatus(subscription.status, late)
  return {
    ...(subscription && { subscriptionId: subscription.id }),
    ...(nextBillingDate && { nextBillingDate }),
    // What was paid in another currency is not known in dollars.
    ...(paid?.currency === 'USD' && { lastPaymentUsd: paid.amount / 100 }),
    ...(lastPaymentDate && { lastPaymentDate }),
    ...(state && { paymentStatus: state }),
  }
}

/** Nothing is due before a subscription has begun. */
function paymentStatus(
  status: SubscriptionStatus,
  late: boolean,
): 'current' | 'overdue' | 'cancelled' | undefined {
  if (status === 'cancelled') return 'cancelled'
  if (status === 'past_due') return 'overdue'
  if (status === 'active') return late ? 'overdue' : 'current'
  return undefined
}
