import { type InferEntity, LockMode } from '@mikro-orm/core'
import type { Transaction } from '../../../kernel/context.ts'
import { notFound } from '../../../kernel/errors.ts'
import { toUsd } from '../../../kernel/money.ts'
import type { SubscriptionRow } from '../billing/entities.ts'
import { activateSubscription } from '../billing/subscriptions.ts'
import { restoreAccess, revokeTenantAccess } from '../identity/access.ts'
import { Tenant } from './entities.ts'
import { releaseTenantJob } from './jobs.ts'

export type TenantRow = InferEntity<typeof Tenant>

/**
 * Loads a tenant and locks it until the command ends. A subscription is always locked before its tenant.
 * @throws DomainError `NOT_FOUND` when there is none within the scope
 */
export async function lockTenant(txn: Transaction, tenantId: string): Promise<TenantRow> {
  const visible = txn.scope === 'all' || txn.scope.includes(tenantId)
  const lock = { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true } as const
  const tenant = visible ? await txn.em.findOne(Tenant, { id: tenantId }, lock) : null
  if (!tenant) throw notFound('tenant')
  return tenant
}

/** Gives a tenant another status, with nothing else. */
export function setStatus(txn: Transaction, tenant: TenantRow, status: TenantRow['status']): void {
  tenant.status = status
  tenant.updatedOn = txn.clock.date()
}

/**
 * Shuts a tenant: its people and their programs are refused at once and its agents pause. Runs that are running finish and
 * keep their results; none is started.
 * @returns how many agents were paused, and the ids to `refuse` after the command
 */
export async function shut(
  txn: Transaction,
  tenant: TenantRow,
  status: 'suspended' | 'cancelled',
): Promise<{ agentsPaused: number; refused: string[] }> {
  setStatus(txn, tenant, status)
  await txn.em.flush()
  return {
    agentsPaused: await txn.services.tenantAgents.pause(txn, tenant.id),
    refused: await revokeTenantAccess(txn, tenant.id),
  }
}

/**
 * Opens a tenant that is shut: people log in again and agents are what they were. Call `lift` after the command.
 * @returns how many agents are at the ready again
 */
export function reopen(txn: Transaction, tenant: TenantRow, status: 'active' | 'trial'): Promise<number> {
  setStatus(txn, tenant, status)
  restoreAccess(txn, tenant.id)
  return txn.services.tenantAgents.resume(txn, tenant.id)
}

/** A tenant that becomes active before its subscription was activated is billed from then on. */
export async function startBilling(
  txn: Transaction,
  subscription: SubscriptionRow | undefined,
): Promise<void> {
  if (subscription?.status === 'pending' || subscription?.status === 'trialing')
    await activateSubscription(txn, subscription.tenantId)
}

/** What the audit shows of a tenant. */
export function auditedTenant({ name, plan, status, spendCapMicros, featureFlags }: TenantRow) {
  const spendCapUsd = spendCapMicros === null ? null : toUsd(spendCapMicros)
  return { name, plan, status, spendCapUsd, featureFlags: { ...featureFlags } }
}

/** Lets a registered tenant work, now that the mailbox of one of its admins is proved: what was held back starts by itself. */
export async function releaseProved(txn: Transaction, tenantId: string): Promise<void> {
  const lock = { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true } as const
  const tenant = await txn.em.findOne(Tenant, { id: tenantId }, lock)
  if (!tenant?.awaitsProof) return
  tenant.awaitsProof = false
  tenant.updatedOn = txn.clock.date()
  txn.enqueue(releaseTenantJob, { tenantId, payload: { tenantId } })
  txn.audit({
    tenantId,
    resourceType: 'tenant',
    resourceId: tenantId,
    before: { awaitsProof: true },
    after: { awaitsProof: false },
    action: 'tenant.proved',
  })
}
