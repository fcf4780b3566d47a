import { firstIdAt } from '../../platform/clock.ts'
import type { Row } from '../../platform/database/database.ts'
import { asDate, asNumber } from '../../platform/database/row.ts'
import { listAgents } from '../agents/list-queries.ts'
import { monthStart } from '../campaigns/periods.ts'
import type { Ctx } from '../context.ts'
import { notFound } from '../errors.ts'
import { listUsers } from '../identity/list-queries.ts'
import { within } from '../scope.ts'
import type { SubscriptionStatus } from './billing-entities.ts'
import { tenantSummary } from './list-queries.ts'
import type { TenantDetail } from './schemas.ts'

/**
 * One tenant with what it uses, what it pays, its agents and its people. Serves `GET /admin/v1/tenants/:tenantId`.
 * @throws DomainError `NOT_FOUND`
 */
export async function getTenant(ctx: Ctx, tenantId: string): Promise<TenantDetail> {
  const summary = await tenantSummary(ctx, tenantId)
  const scope = within(ctx.scope, 'id')
  const zone = await ctx.sql.get<Row>(`select timezone from tenants where id = ? and ${scope.sql}`, [
    tenantId,
    ...scope.params,
  ])
  if (!zone) throw notFound('tenant')
  const timezone = zone.timezone as string
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

async function usageOf(ctx: Ctx, tenantId: string, timezone: string) {
  const since = monthStart(ctx.clock.date(), timezone)
  const row = await ctx.sql.get<Row>(
    `select
       (select count(*) from llm_calls where tenant_id = ? and id >= ?) as calls,
       (select count(*) from activities where tenant_id = ?) as activities,
       (select sum(octet_length(o.text)) from activities x join outputs o on o.activity_id = x.id where x.tenant_id = ?) as bytes`,
    [tenantId, firstIdAt(since), tenantId, tenantId],
  )
  return {
    monthlyLlmCallCount: asNumber(row?.calls),
    totalActivities: asNumber(row?.activities),
    storageBytes: asNumber(row?.bytes),
  }
}

async function billingOf(ctx: Ctx, tenantId: string): Promise<TenantDetail['billing']> {
  const subscription = await ctx.sql.get<Row>(
    `select id, status, next_billing_at from subscriptions where tenant_id = ?
     order by case when status = 'cancelled' then 1 else 0 end, id desc limit 1`,
    [tenantId],
  )
  const paid = await ctx.sql.get<Row>(
    `select amount, currency, paid_on from invoices where tenant_id = ? and status = 'paid'
     order by paid_on desc, id desc limit 1`,
    [tenantId],
  )
  const late = await ctx.sql.get<Row>(
    `select 1 as one from invoices where tenant_id = ? and status in ('pending', 'failed') and due_date < ? limit 1`,
    [tenantId, ctx.clock.date()],
  )
  const nextBillingDate = asDate(subscription?.next_billing_at)
  const lastPaymentDate = asDate(paid?.paid_on)
  const state = subscription && paymentStatus(subscription.status as SubscriptionStatus, late !== undefined)
  return {
    ...(subscription && { subscriptionId: subscription.id as string }),
    ...(nextBillingDate && { nextBillingDate }),
    // What was paid in another currency is not known in dollars.
    ...(paid?.currency === 'USD' && { lastPaymentUsd: asNumber(paid.amount) / 100 }),
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
