import { provisionAgents } from '../agents/provision.ts'
import { command } from '../command.ts'
import type { Command, Ctx } from '../context.ts'
import { lift } from '../identity/access.ts'
import { refuse } from '../identity/sessions.ts'
import { toMicros } from '../money.ts'
import type { PlanName, SubscriptionRow } from './billing-entities.ts'
import { tenantSummary } from './list-queries.ts'
import { choosePlan } from './plans.ts'
import type { TenantChange, TenantSummary } from './schemas.ts'
import { beginBilling, lockTenant, reopen, setStatus, shut, type TenantRow, view } from './status.ts'
import { changeSubscription, currentSubscription } from './subscriptions.ts'

/**
 * Changes what an operator may set about a tenant; what is not named stays as it is. A new status has the effects of
 * suspending, reinstating and activating, whatever the status before. Serves `PATCH /admin/v1/tenants/:tenantId`.
 * @throws DomainError `NOT_FOUND`; `VALIDATION_ERROR` on `plan` when it has no price in the tenant's region
 */
export async function changeTenant(
  ctx: Ctx,
  tenantId: string,
  changes: TenantChange,
): Promise<TenantSummary> {
  const { name, plan, status, spendCapUsd, featureFlags } = changes
  const { refused, opened } = await command(ctx, async (cmd) => {
    const subscription = await currentSubscription(cmd, tenantId)
    const tenant = await lockTenant(cmd, tenantId)
    const before = view(tenant)
    if (name !== undefined) tenant.name = name
    if (featureFlags !== undefined) tenant.featureFlags = featureFlags
    if (spendCapUsd !== undefined) tenant.spendCapMicros = spendCapUsd === null ? null : toMicros(spendCapUsd)
    if (plan !== undefined && plan !== tenant.plan) await moveToPlan(cmd, tenant, subscription, plan)
    const effects = await moveToStatus(cmd, tenant, subscription, status ?? tenant.status)
    tenant.updatedOn = cmd.clock.date()
    cmd.audit({
      tenantId,
      resourceType: 'tenant',
      resourceId: tenantId,
      before,
      after: view(tenant),
      action: 'tenant.updated',
    })
    return effects
  })
  if (opened) lift(ctx, tenantId)
  refuse(ctx, refused)
  return tenantSummary(ctx, tenantId)
}

async function moveToPlan(
  cmd: Command,
  tenant: TenantRow,
  subscription: SubscriptionRow | undefined,
  plan: PlanName,
): Promise<void> {
  if (subscription) {
    const { region, cycle } = subscription
    const name = plan
    // No plan but a tenant's own is billed by the quarter.
    const choice = await choosePlan(cmd, { name, region, cycle: cycle === 'quarterly' ? 'monthly' : cycle })
    return changeSubscription(cmd, subscription, choice)
  }
  tenant.plan = plan
  await cmd.em.flush()
  await provisionAgents(cmd, tenant.id)
}

interface Effects {
  /** Ids that this process refuses from now on. */
  refused: string[]
  /** True when it was shut and is not any more. */
  opened: boolean
}

async function moveToStatus(
  cmd: Command,
  tenant: TenantRow,
  subscription: SubscriptionRow | undefined,
  to: TenantRow['status'],
): Promise<Effects> {
  const from = tenant.status
  const none: Effects = { refused: [], opened: false }
  if (from === to) return none
  if (to === 'suspended') return { ...none, ...(await shut(cmd, tenant, to)) }
  if (to === 'cancelled') {
    if (subscription) endBilling(cmd, subscription)
    return { ...none, ...(await shut(cmd, tenant, to)) }
  }
  await beginBilling(cmd, subscription)
  const opened = from === 'suspended' || from === 'cancelled'
  if (opened) await reopen(cmd, tenant, 'active')
  else setStatus(cmd, tenant, 'active')
  return { ...none, opened }
}

function endBilling(cmd: Command, subscription: SubscriptionRow): void {
  const now = cmd.clock.date()
  subscription.status = 'cancelled'
  subscription.cancelledAt = now
  subscription.nextBillingAt = null
  subscription.updatedOn = now
}
