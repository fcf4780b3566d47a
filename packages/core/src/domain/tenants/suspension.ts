import { command } from '../command.ts'
import type { Ctx } from '../context.ts'
import { DomainError } from '../errors.ts'
import { lift } from '../identity/access.ts'
import { refuse } from '../identity/sessions.ts'
import { beginBilling, lockTenant, reopen, shut, type TenantRow } from './status.ts'
import { beginNow, currentSubscription, isPaidFor } from './subscriptions.ts'

const unpaid =
  'The subscription of the tenant was never paid: mark it as paid first (`copydesk tenant mark-paid`, or the action mark_paid of POST /admin/v1/tenants/:tenantId/billing/override), then activate the tenant'

/**
 * Suspends a tenant: its people cannot log in, what they hold is refused on every server, its agents pause and nothing is
 * billed. Runs at work finish. Serves `POST /admin/v1/tenants/:tenantId/suspend`.
 * @throws DomainError `NOT_FOUND`; `CONFLICT` when it is suspended or cancelled already
 */
export async function suspendTenant(ctx: Ctx, tenantId: string, reason: string) {
  const { agentsPaused, refused } = await command(ctx, async (cmd) => {
    const tenant = await lockTenant(cmd, tenantId)
    const { status } = tenant
    if (status === 'suspended' || status === 'cancelled') throw conflict(`already ${status}`, tenant)
    const done = await shut(cmd, tenant, 'suspended')
    cmd.audit({
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
  const done = await command(ctx, async (cmd) => {
    const subscription = await currentSubscription(cmd, tenantId)
    const tenant = await lockTenant(cmd, tenantId)
    if (tenant.status !== 'suspended') throw conflict(`${tenant.status}, not suspended`, tenant)
    const status = subscription?.status === 'trialing' ? ('trial' as const) : ('active' as const)
    const agentsResumed = await reopen(cmd, tenant, status)
    if (status === 'active') await beginBilling(cmd, subscription)
    cmd.audit({
      tenantId,
      resourceType: 'tenant',
      resourceId: tenantId,
      before: { status: 'suspended' },
      after: { status, note: note || null, agentsResumed },
      action: 'tenant.reinstated',
    })
    return { tenantId, status, agentsResumed }
  })
  lift(ctx, tenantId)
  return done
}

/**
 * Makes a tenant active whose setup is over: billing begins now. Serves `PATCH /admin/v1/tenants/:tenantId/activate`.
 * @throws DomainError `NOT_FOUND`; `CONFLICT` when it is active, suspended or cancelled; `BAD_REQUEST` without a subscription
 *   that is paid for
 */
export function activateTenant(ctx: Ctx, tenantId: string) {
  return command(ctx, async (cmd) => {
    const subscription = await currentSubscription(cmd, tenantId)
    const tenant = await lockTenant(cmd, tenantId)
    const { status } = tenant
    if (status === 'active') throw conflict('already active', tenant)
    if (!subscription) throw new DomainError('BAD_REQUEST', 'The tenant has no active subscription')
    if (status === 'suspended' || status === 'cancelled') throw conflict(status, tenant)
    if (!isPaidFor(subscription)) throw new DomainError('BAD_REQUEST', unpaid)
    await beginNow(cmd, subscription)
    tenant.status = 'active'
    tenant.updatedOn = cmd.clock.date()
    const nextBillingDate = subscription.nextBillingAt?.toISOString() ?? null
    cmd.audit({
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
