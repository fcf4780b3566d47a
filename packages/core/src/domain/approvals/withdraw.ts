import { LockMode } from '@mikro-orm/core'
import { actorName } from '../actor.ts'
import { Activity, type ActivityRow, closedStatuses } from '../activities/entities.ts'
import type { Command } from '../context.ts'
import { Approval, ApprovalLink, type ApprovalRow } from './entities.ts'

/** Who takes questions back, as it stands on them; agents under their role. */
export interface Withdrawer {
  id: string
  name: string
}

/**
 * Takes pending approvals back that are about closed activities only: nobody is asked about what nobody waits for. The caller
 * has locked the activities.
 */
export async function withdraw(
  cmd: Command,
  closed: readonly ActivityRow[],
  why: string,
  by: Withdrawer = { id: cmd.actor.id, name: actorName(cmd) },
): Promise<void> {
  await cmd.em.flush()
  const now = cmd.clock.date()
  const ids = closed.map(({ id }) => id)
  for (const approval of await pendingAbout(cmd, ids)) {
    const links = await cmd.em.find(ApprovalLink, { approvalId: approval.id })
    const about = { $in: links.map(({ activityId }) => activityId) }
    if ((await cmd.em.count(Activity, { id: about, status: { $nin: [...closedStatuses] } })) > 0) continue
    approval.status = 'expired'
    approval.resolution = 'withdrawn'
    approval.resolutionNote = why
    approval.resolvedAt = now
    approval.resolvedById = by.id
    approval.resolvedByName = by.name
    approval.updatedOn = now
    cmd.audit({
      tenantId: approval.tenantId,
      resourceType: 'approval',
      resourceId: approval.id,
      before: { status: 'pending' },
      after: { status: 'expired', resolution: 'withdrawn', note: why },
      action: 'approval.withdraw',
    })
    cmd.emit({
      tenantId: approval.tenantId,
      type: 'approval_expired',
      subject: approval.id,
      data: { approvalId: approval.id, type: approval.type },
    })
  }
}

async function pendingAbout(cmd: Command, activityIds: readonly string[]): Promise<ApprovalRow[]> {
  const links = await cmd.em.find(ApprovalLink, { activityId: { $in: [...activityIds] } })
  const ids = [...new Set(links.map(({ approvalId }) => approvalId))]
  if (ids.length === 0) return []
  return cmd.em.find(
    Approval,
    { id: { $in: ids }, status: 'pending' },
    { lockMode: LockMode.PESSIMISTIC_WRITE, orderBy: { id: 'asc' }, refresh: true },
  )
}
