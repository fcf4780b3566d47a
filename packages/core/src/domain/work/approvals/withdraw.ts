import { LockMode } from '@mikro-orm/core'
import { actorName, type Transaction } from '../../../kernel/context.ts'
import { Activity, type ActivityRow, closedStatuses } from '../activities/entities.ts'
import { Approval, ApprovalLink, type ApprovalRow } from './entities.ts'
import { approvalExpired } from './events.ts'

/** Who takes questions back, as it stands on them; agents under their role. */
export interface Withdrawer {
  id: string
  name: string
}

/**
 * Takes pending approvals back that are about closed activities only: no one is asked about what no one waits for. The caller
 * has locked the activities.
 */
export async function withdraw(
  txn: Transaction,
  closed: readonly ActivityRow[],
  why: string,
  by: Withdrawer = { id: txn.actor.id, name: actorName(txn) },
): Promise<void> {
  await txn.em.flush()
  const now = txn.clock.date()
  const ids = closed.map(({ id }) => id)
  for (const approval of await pendingAbout(txn, ids)) {
    const links = await txn.em.find(ApprovalLink, { approvalId: approval.id })
    const about = { $in: links.map(({ activityId }) => activityId) }
    if ((await txn.em.count(Activity, { id: about, status: { $nin: [...closedStatuses] } })) > 0) continue
    approval.status = 'expired'
    approval.resolution = 'withdrawn'
    approval.resolutionNote = why
    approval.resolvedAt = now
    approval.resolvedById = by.id
    approval.resolvedByName = by.name
    approval.updatedOn = now
    txn.audit({
      tenantId: approval.tenantId,
      resourceType: 'approval',
      resourceId: approval.id,
      before: { status: 'pending' },
      after: { status: 'expired', resolution: 'withdrawn', note: why },
      action: 'approval.withdraw',
    })
    txn.emit(approvalExpired, {
      tenantId: approval.tenantId,
      subject: approval.id,
      data: { approvalId: approval.id, type: approval.type },
    })
  }
}

async function pendingAbout(txn: Transaction, activityIds: readonly string[]): Promise<ApprovalRow[]> {
  const links = await txn.em.find(ApprovalLink, { activityId: { $in: [...activityIds] } })
  const ids = [...new Set(links.map(({ approvalId }) => approvalId))]
  if (ids.length === 0) return []
  return txn.em.find(
    Approval,
    { id: { $in: ids }, status: 'pending' },
    { lockMode: LockMode.PESSIMISTIC_WRITE, orderBy: { id: 'asc' }, refresh: true },
  )
}
