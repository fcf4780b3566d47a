import { LockMode } from '@mikro-orm/core'
import type { ActivityRow } from '../activities/entities.ts'
import { lockActivities } from '../activities/state.ts'
import type { Command, Ctx } from '../context.ts'
import { DomainError, notFound } from '../errors.ts'
import { Approval, ApprovalLink, type ApprovalRow } from './entities.ts'

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
export async function lockApproval(cmd: Command, id: string): Promise<Locked> {
  const links = await cmd.em.find(ApprovalLink, { approvalId: id })
  const activities = await lockActivities(
    cmd,
    links.map((row) => row.activityId),
  )
  const approval = await cmd.em.findOne(Approval, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE })
  if (!approval) throw notFound('approval')
  return {
    approval,
    activities,
    waiting: new Set(links.filter(({ blocking }) => blocking).map(({ activityId }) => activityId)),
  }
}

/** @throws DomainError `CONFLICT` when nobody can decide on it any more; `details.reason` says why */
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
