import { LockMode } from '@mikro-orm/core'
import type { Transaction } from '../../../kernel/context.ts'
import { DomainError } from '../../../kernel/errors.ts'
import { Tenant } from '../tenants/entities.ts'
import { Subscription, type SubscriptionRow } from './entities.ts'
import { endTrialJob } from './jobs.ts'
import { endSubscription } from './periods/end.ts'

const dayMs = 86_400_000

/**
 * Lets a tenant work for some days before it pays, or for some days more: the tenant is in `trial` until then.
 * @throws DomainError `UNPROCESSABLE` when its subscription is paid for, or the tenant is suspended or cancelled
 */
export async function startTrial(
  txn: Transaction,
  subscription: SubscriptionRow,
  days: number,
): Promise<void> {
  const { tenantId } = subscription
  const lockMode = LockMode.PESSIMISTIC_WRITE
  const tenant = await txn.em.findOneOrFail(Tenant, { id: tenantId }, { lockMode, refresh: true })
  if (subscription.status === 'active' || subscription.status === 'cancelled')
    throw new DomainError('UNPROCESSABLE', `A subscription that is ${subscription.status} has no trial`)
  if (tenant.status === 'suspended' || tenant.status === 'cancelled')
    throw new DomainError('UNPROCESSABLE', `The tenant is ${tenant.status}`)
  const now = txn.clock.date()
  const from = Math.max(now.getTime(), subscription.trialEndsAt?.getTime() ?? 0)
  subscription.trialEndsAt = new Date(from + days * dayMs)
  subscription.status = 'trialing'
  subscription.updatedOn = now
  tenant.status = 'trial'
  tenant.updatedOn = now
  txn.enqueue(endTrialJob, endOf(subscription.id, tenantId, subscription.trialEndsAt))
}

/**
 * Handles `subscription.trial` jobs: a trial that is over and was not paid for sends its tenant back to `onboarding`,
 * where people still log in and agents rest. A trial that was extended is looked at again at its new end.
 */
export async function endTrial(
  txn: Transaction,
  { subscriptionId: id }: { subscriptionId: string },
): Promise<void> {
  const lockMode = LockMode.PESSIMISTIC_WRITE
  const subscription = await txn.em.findOne(Subscription, { id }, { lockMode })
  if (subscription?.status !== 'trialing' || !subscription.trialEndsAt) return
  const now = txn.clock.date()
  if (subscription.trialEndsAt > now) return
  if (subscription.cancelsAtPeriodEnd) return endSubscription(txn, subscription)
  const tenant = await txn.em.findOneOrFail(Tenant, { id: subscription.tenantId }, { lockMode })
  subscription.status = 'past_due'
  subscription.updatedOn = now
  if (tenant.status !== 'trial') return
  tenant.status = 'onboarding'
  tenant.updatedOn = now
  txn.audit({
    tenantId: tenant.id,
    resourceType: 'tenant',
    resourceId: tenant.id,
    before: { status: 'trial' },
    after: { status: 'onboarding' },
    action: 'tenant.trial_ended',
  })
}

function endOf(subscriptionId: string, tenantId: string, runAt: Date) {
  const uniqueKey = `${endTrialJob.kind}:${subscriptionId}:${runAt.getTime()}`
  return { tenantId, payload: { subscriptionId }, uniqueKey, runAt }
}
