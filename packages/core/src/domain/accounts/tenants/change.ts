import type { Ctx, Transaction } from '../../../kernel/context.ts'
import { toMicros } from '../../../kernel/money.ts'
import { transact } from '../../../kernel/transact.ts'
import type { SubscriptionRow } from '../billing/entities.ts'
import { informProvider } from '../billing/inform-provider.ts'
import type { PlanName } from '../billing/plans/entities.ts'
import { choosePlan } from '../billing/plans/plans.ts'
import { changeSubscription, currentSubscription } from '../billing/subscriptions.ts'
import { restoreAccessHere } from '../identity/access.ts'
import { refuse } from '../identity/sessions.ts'
import { tenantSummary } from './queries.ts'
import type { TenantChange, TenantSummary } from './schemas.ts'
import { auditedTenant, lockTenant, reopen, setStatus, shut, startBilling, type TenantRow } from './status.ts'

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
  const { refused, opened } = await transact(ctx, async (txn) => {
    const subscription = await currentSubscription(txn, tenantId)
    const tenant = await lockTenant(txn, tenantId)
    const before = auditedTenant(tenant)
    if (name !== undefined) tenant.name = name
    if (featureFlags !== undefined) tenant.featureFlags = featureFlags
    if (spendCapUsd !== undefined) tenant.spendCapMicros = spendCapUsd === null ? null : toMicros(spendCapUsd)
    if (plan !== undefined && plan !== tenant.plan) await moveToPlan(txn, tenant, subscription, plan)
    const effects = await moveToStatus(txn, tenant, subscription, status ?? tenant.status)
    tenant.updatedOn = txn.clock.date()
    txn.audit({
      tenantId,
      resourceType: 'tenant',
      resourceId: tenantId,
      before,
      after: auditedTenant(tenant),
      action: 'tenant.updated',
    })
    return effects
  })
  if (opened) restoreAccessHere(ctx, tenantId)
  refuse(ctx, refused)
  return tenantSummary(ctx, tenantId)
}

async function moveToPlan(
  txn: Transaction,
  tenant: TenantRow,
  subscription: SubscriptionRow | undefined,
  plan: PlanName,
): Promise<void> {
  if (subscription) {
    const { region, cycle } = subscription
    const name = plan
    // No plan but a tenant's own is billed by the quarter.
    const choice = await choosePlan(txn, { name, region, cycle: cycle === 'quarterly' ? 'monthly' : cycle })
    await changeSubscription(txn, subscription, choice)
    return
  }
  tenant.plan = plan
  await txn.em.flush()
  await txn.services.tenantAgents.provision(txn, tenant.id)
}

interface Effects {
  /** Ids that this process refuses from now on. */
  refused: string[]
  /** True when it was shut and is not any more. */
  opened: boolean
}

async function moveToStatus(
  txn: Transaction,
  tenant: TenantRow,
  subscription: SubscriptionRow | undefined,
  to: TenantRow['status'],
): Promise<Effects> {
  const from = tenant.status
  const none: Effects = { refused: [], opened: false }
  if (from === to) return none
  if (to === 'suspended') return { ...none, ...(await shut(txn, tenant, to)) }
  if (to === 'cancelled') {
    if (subscription) endBilling(txn, subscription)
    return { ...none, ...(await shut(txn, tenant, to)) }
  }
  await startBilling(txn, subscription)
  const opened = from === 'suspended' || from === 'cancelled'
  if (opened) await reopen(txn, tenant, 'active')
  else setStatus(txn, tenant, 'active')
  return { ...none, opened }
}

function endBilling(txn: Transaction, subscription: SubscriptionRow): void {
  const now = txn.clock.date()
  subscription.status = 'cancelled'
  subscription.cancelledAt = now
  subscription.nextBillingAt = null
  subscription.updatedOn = now
  informProvider(txn, subscription, { what: 'end' })
}
