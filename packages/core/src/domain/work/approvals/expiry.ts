import type { Transaction } from '../../../kernel/context.ts'
import { notify } from '../../people/notifications/notify.ts'
import { asksPeople, block, isClosed, logActivity } from '../activities/state.ts'
import type { ApprovalRow } from './entities.ts'
import { approvalExpired, approvalExpiring } from './events.ts'
import { type Locked, lockApproval, pendingApprovalsOf } from './pending.ts'

/**
 * The `approval.clock` job: warns people four hours before a pending approval expires, and expires it when its time has
 * come. A clock that was restarted makes the old one's jobs do nothing.
 */
export async function handleExpiry(
  txn: Transaction,
  { approvalId, expiresAt }: { approvalId: string; expiresAt: string },
): Promise<void> {
  const locked = await lockApproval(txn, approvalId)
  const { approval } = locked
  if (approval.status !== 'pending' || approval.expiresAt.toISOString() !== expiresAt) return
  if (approval.expiresAt.getTime() <= txn.clock.now()) await expire(txn, locked)
  else await warn(txn, approval)
}

async function warn(txn: Transaction, approval: ApprovalRow): Promise<void> {
  const hoursLeft = Math.max(1, Math.round((approval.expiresAt.getTime() - txn.clock.now()) / 3_600_000))
  txn.emit(approvalExpiring, {
    tenantId: approval.tenantId,
    subject: approval.id,
    data: { approvalId: approval.id, hoursLeft, title: approval.title, riskLevel: approval.riskLevel },
  })
  await notify(txn, {
    tenantId: approval.tenantId,
    to: 'admins',
    type: 'approval_expiring',
    urgent: approval.riskLevel === 'high',
    title: approval.title,
    body: `Expires in ${hoursLeft} h. Undecided work stops then.`,
    subjectKind: 'approvals',
    subjectId: approval.id,
  })
}

/** Expired is never approved: the work that still waits for it, and for nothing else, is blocked until a person looks at it. */
async function expire(txn: Transaction, { approval, activities, waiting }: Locked): Promise<void> {
  approval.status = 'expired'
  approval.updatedOn = txn.clock.date()
  await txn.em.flush()
  for (const activity of activities) {
    if (!waiting.has(activity.id)) continue
    if (!asksPeople(activity) || (await pendingApprovalsOf(txn, activity)).length > 0) {
      if (!isClosed(activity))
        logActivity(txn, activity, {
          kind: 'approval',
          message: `“${approval.title}” expired undecided`,
          data: { approvalId: approval.id },
        })
      continue
    }
    await block(txn, activity, {
      type: 'approval_expired',
      description: `No one decided on “${approval.title}” in time.`,
      resolution: 'Try the activity again: it asks again.',
    })
  }
  txn.emit(approvalExpired, {
    tenantId: approval.tenantId,
    subject: approval.id,
    data: { approvalId: approval.id, type: approval.type },
  })
  await notify(txn, {
    tenantId: approval.tenantId,
    to: 'admins',
    type: 'approval_expiring',
    title: `Expired: ${approval.title}`,
    body: 'No one decided in time. Work that waited for it is blocked; try it again to ask again.',
    subjectKind: 'approvals',
    subjectId: approval.id,
  })
}
