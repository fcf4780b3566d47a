import type { Ctx } from '../../../kernel/context.ts'
import { DomainError } from '../../../kernel/errors.ts'
import { transact } from '../../../kernel/transact.ts'
import { currentSubscription, isPaidFor, startPeriodNow } from '../billing/subscriptions.ts'
import { restoreAccessHere } from '../identity/access.ts'
import { refuse } from '../identity/sessions.ts'
import { lockTenant, reopen, shut, startBilling, type TenantRow } from './status.ts'

const unpaid =
  'The subscription of the tenant was never paid: mark it as paid first (`copydesk tenant mark-paid`, or the action mark_paid of POST /admin/v1/tenants/:tenantId/billing/override), then activate the tenant'

/**
 * Suspends a tenant: its people cannot log in, what they hold is refused on every server, its agents pause and nothing is
 * billed. Runs in progress finish. Serves `POST /admin/v1/tenants/:tenantId/suspend`.
 * @throws DomainError `NOT_FOUND`; `CONFLICT` when it is suspended or cancelled already
 */
export async function suspendTenant(ctx: Ctx, tenantId: string, reason: string) {
  const { agentsPaused, refused } = await transact(ctx, async (txn) => {
    const tenant = await lockTenant(txn, tenantId)
    const { status } = tenant
    if (status === 'suspended' || status === 'cancelled') throw conflict(`already ${status}`, tenant)
    const done = await shut(txn, tenant, 'suspended')
    txn.audit({
      tenantId,
      resourceType: 'tenant',
      resourceId: tenantId,
      before: { status },
      after: { status: 'suspended', reason, agentsPaused: done.agentsPaused },
      action: 'tenant.suspended',
    })
    return done
  })
  refuse(ctx, refused)
  return { tenantId, status: 'suspended' as const, agentsPaused }
}

/**
 * Reinstates a suspended tenant; its agents are what they were before. One whose trial goes on is in `trial` again, any
 * other is active. Serves `POST /admin/v1/tenants/:tenantId/reinstate`.
 * @throws DomainError `NOT_FOUND`; `CONFLICT` when it is not suspended
 */
export async function reinstateTenant(ctx: Ctx, tenantId: string, note?: string) {
  const done = await transact(ctx, async (txn) => {
    const subscription = await currentSubscription(txn, tenantId)
    const tenant = await lockTenant(txn, tenantId)
    if (tenant.status !== 'suspended') throw conflict(`${tenant.status}, not suspended`, tenant)
    const status = subscription?.status === 'trialing' ? ('trial' as const) : ('active' as const)
    const agentsResumed = await reopen(txn, tenant, status)
    if (status === 'active') await startBilling(txn, subscription)
    txn.audit({
      tenantId,
      resourceType: 'tenant',
      resourceId: tenantId,
      before: { status: 'suspended' },
      after: { status, note: note || null, agentsResumed },
      action: 'tenant.reinstated',
    })
    return { tenantId, status, agentsResumed }
  })
  restoreAccessHere(ctx, tenantId)
  return done
}

/**
 * Makes a tenant active whose setup is over: billing begins now. Serves `PATCH /admin/v1/tenants/:tenantId/activate`.
 * @throws DomainError `NOT_FOUND`; `CONFLICT` when it is active, suspended or cancelled; `BAD_REQUEST` without a subscription
 *   that is paid for
 */
export function activateTenant(ctx: Ctx, tenantId: string) {
  return transact(ctx, async (txn) => {
    const subscription = await currentSubscription(txn, tenantId)
    const tenant = await lockTenant(txn, tenantId)
    const { status } = tenant
    if (status === 'active') throw conflict('already active', tenant)
    if (!subscription) throw new DomainError('BAD_REQUEST', 'The tenant has no active subscription')
    if (status === 'suspended' || status === 'cancelled') throw conflict(status, tenant)
    if (!isPaidFor(subscription)) throw new DomainError('BAD_REQUEST', unpaid)
    await startPeriodNow(txn, subscription)
    tenant.status = 'active'
    tenant.updatedOn = txn.clock.date()
    const nextBillingDate = subscription.nextBillingAt?.toISOString() ?? null
    txn.audit({
      tenantId,
      resourceType: 'tenant',
      resourceId: tenantId,
      before: { status },
      after: { status: 'active', nextBillingDate },
      action: 'tenant.activated',
    })
    const message = `${tenant.name} is active${nextBillingDate ? ` and is billed next on ${nextBillingDate.slice(0, 10)}` : ''}`
    return { tenantId, status: 'active' as const, message }
  })
}

function conflict(state: string, { status }: TenantRow): DomainError {
  return new DomainError('CONFLICT', `The tenant is ${state}`, { details: { status } })
}
