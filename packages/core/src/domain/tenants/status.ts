import { type InferEntity, LockMode } from '@mikro-orm/core'
import { pauseAgents, resumeAgents } from '../agents/pause.ts'
import type { Command } from '../context.ts'
import { notFound } from '../errors.ts'
import { letIn, shutOutTenant } from '../identity/access.ts'
import { toUsd } from '../money.ts'
import type { SubscriptionRow } from './billing-entities.ts'
import { Tenant } from './entities.ts'
import { activateSubscription } from './subscriptions.ts'

export type TenantRow = InferEntity<typeof Tenant>

/**
 * Loads a tenant and locks it until the command ends. A subscription is always locked before its tenant.
 * @throws DomainError `NOT_FOUND` when there is none within the scope
 */
export async function lockTenant(cmd: Command, tenantId: string): Promise<TenantRow> {
  const visible = cmd.scope === 'all' || cmd.scope.includes(tenantId)
  const lock = { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true } as const
  const tenant = visible ? await cmd.em.findOne(Tenant, { id: tenantId }, lock) : null
  if (!tenant) throw notFound('tenant')
  return tenant
}

/** Gives a tenant another status, with nothing else. */
export function setStatus(cmd: Command, tenant: TenantRow, status: TenantRow['status']): void {
  tenant.status = status
  tenant.updatedOn = cmd.clock.date()
}

/**
 * Shuts a tenant: its people and their programs are refused at once and its agents pause. Runs that are at work finish and
 * keep their results; none is started.
 * @returns how many agents were paused, and the ids to `refuse` after the command
 */
export async function shut(
  cmd: Command,
  tenant: TenantRow,
  status: 'suspended' | 'cancelled',
): Promise<{ agentsPaused: number; refused: string[] }> {
  setStatus(cmd, tenant, status)
  await cmd.em.flush()
  return {
    agentsPaused: await pauseAgents(cmd, tenant.id),
    refused: await shutOutTenant(cmd, tenant.id),
  }
}

/**
 * Opens a tenant that is shut: people log in again and agents are what they were. Call `lift` after the command.
 * @returns how many agents are at the ready again
 */
export function reopen(cmd: Command, tenant: TenantRow, status: 'active' | 'trial'): Promise<number> {
  setStatus(cmd, tenant, status)
  letIn(cmd, tenant.id)
  return resumeAgents(cmd, tenant.id)
}

/** A tenant that becomes active before its subscription was activated is billed from then on. */
export async function beginBilling(cmd: Command, subscription: SubscriptionRow | undefined): Promise<void> {
  if (subscription?.status === 'pending' || subscription?.status === 'trialing')
    await activateSubscription(cmd, subscription.tenantId)
}

/** What the audit shows of a tenant. */
export function view({ name, plan, status, spendCapMicros, featureFlags }: TenantRow) {
  const spendCapUsd = spendCapMicros === null ? null : toUsd(spendCapMicros)
  return { name, plan, status, spendCapUsd, featureFlags: { ...featureFlags } }
}
