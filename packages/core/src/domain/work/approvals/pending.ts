import { LockMode } from '@mikro-orm/core'
import type { Ctx, Transaction } from '../../../kernel/context.ts'
import { DomainError, notFound } from '../../../kernel/errors.ts'
import type { ActivityRow } from '../activities/entities.ts'
import { lockActivities } from '../activities/state.ts'
import type { OutputRow } from '../content/entities.ts'
import { Approval, ApprovalLink, type ApprovalRow } from './entities.ts'
import { approvalResolved } from './events.ts'

/** An approval and the activities that an answer is for, all locked. */
export interface Locked {
  approval: ApprovalRow
  /** In the order of their ids. */
  activities: ActivityRow[]
  /** Ids of those that wait for the answer. */
  waiting: ReadonlySet<string>
}

/**
 * Loads an approval and locks it until the command ends, its activities first: a new version of their text comes under the
 * same locks, so that a verdict and the text that it is about never pass each other.
 * @throws DomainError `NOT_FOUND`
 */
export async function lockApproval(txn: Transaction, id: string): Promise<Locked> {
  const links = await txn.em.find(ApprovalLink, { approvalId: id })
  const activities = await lockActivities(
    txn,
    links.map((row) => row.activityId),
  )
  const approval = await txn.em.findOne(Approval, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE })
  if (!approval) throw notFound('approval')
  return {
    approval,
    activities,
    waiting: new Set(links.filter(({ blocking }) => blocking).map(({ activityId }) => activityId)),
  }
}

/** What an activity waits to be told by people. */
export async function pendingApprovalsOf(txn: Transaction, activity: ActivityRow): Promise<ApprovalRow[]> {
  const links = await txn.em.find(ApprovalLink, { activityId: activity.id, blocking: true })
  if (links.length === 0) return []
  return txn.em.find(Approval, { id: { $in: links.map((row) => row.approvalId) }, status: 'pending' })
}

/** How many approvals an agent has asked for with an activity that are pending, whether that waits for them or not. */
export async function countAsked(txn: Transaction, activity: ActivityRow, role: string): Promise<number> {
  const links = await txn.em.find(ApprovalLink, { activityId: activity.id })
  if (links.length === 0) return 0
  const ids = links.map((row) => row.approvalId)
  return txn.em.count(Approval, { id: { $in: ids }, createdById: role, status: 'pending' })
}

/** The verdict by which a person has approved exactly these bytes; null where there is none. */
export function approvalOf(
  txn: Transaction,
  activity: Pick<ActivityRow, 'id'>,
  output: Pick<OutputRow, 'sha256'>,
): Promise<ApprovalRow | null> {
  const about = { contentOf: activity.id, contentHash: output.sha256 }
  return txn.em.findOne(Approval, { ...about, status: 'approved' })
}

/** True when a person has approved exactly these bytes. */
export const isApproved = async (...about: Parameters<typeof approvalOf>): Promise<boolean> =>
  (await approvalOf(...about)) !== null

/** @throws DomainError `CONFLICT` when no one can decide on it any more; `details.reason` says why */
export function requirePending(
  { clock }: Pick<Ctx, 'clock'>,
  approval: Pick<ApprovalRow, 'status' | 'resolution' | 'resolvedByName' | 'replacedBy' | 'expiresAt'>,
): void {
  if (approval.resolution === 'voided') {
    throw new DomainError('CONFLICT', 'The content has changed since it was shown', {
      details: {
        reason: 'content_changed',
        ...(approval.replacedBy && { approvalId: approval.replacedBy }),
      },
    })
  }
  if (approval.status !== 'pending') {
    throw new DomainError('CONFLICT', `This approval is already ${approval.status}`, {
      details: { reason: 'already_resolved', status: approval.status, resolvedBy: approval.resolvedByName },
    })
  }
  if (approval.expiresAt.getTime() <= clock.now()) {
    throw new DomainError('CONFLICT', 'This approval has expired', { details: { reason: 'expired' } })
  }
}

/** Tells those who watch that no one has to decide on this any more. */
export function publishResolved(txn: Transaction, approval: ApprovalRow): void {
  txn.emit(approvalResolved, {
    tenantId: approval.tenantId,
    subject: approval.id,
    data: {
      approvalId: approval.id,
      type: approval.type,
      status: approval.status,
      resolution: approval.resolution,
      ...(approval.replacedBy && { replacedBy: approval.replacedBy }),
    },
  })
}
