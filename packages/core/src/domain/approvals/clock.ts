import { logActivity } from '../activities/log.ts'
import { isClosed, lockActivities, moveTo } from '../activities/state.ts'
import { command } from '../command.ts'
import type { Command, Ctx } from '../context.ts'
import { notify } from '../notifications/notify.ts'
import { ApprovalLink, type ApprovalRow } from './entities.ts'
import { lockApproval } from './resolve.ts'

/**
 * The `approval.clock` job: warns people four hours before a pending approval expires, and expires it when its time has
 * come. A clock that was restarted makes the old one's jobs do nothing.
 */
export async function approvalClock(ctx: Ctx, payload: Record<string, unknown>): Promise<void> {
  const { approvalId, expiresAt } = payload as { approvalId: string; expiresAt: string }
  await command(ctx, async (cmd) => {
    const approval = await lockApproval(cmd, approvalId)
    if (approval.status !== 'pending' || approval.expiresAt.toISOString() !== expiresAt) return
    if (approval.expiresAt.getTime() <= cmd.clock.now()) await expire(cmd, approval)
    else await warn(cmd, approval)
  })
}

async function warn(cmd: Command, approval: ApprovalRow): Promise<void> {
  const hoursLeft = Math.max(1, Math.round((approval.expiresAt.getTime() - cmd.clock.now()) / 3_600_000))
  cmd.emit({
    tenantId: approval.tenantId,
    type: 'approval_expiring',
    subject: approval.id,
    data: { approvalId: approval.id, hoursLeft, title: approval.title, riskLevel: approval.riskLevel },
  })
  await notify(cmd, {
    tenantId: approval.tenantId,
    to: 'admins',
    type: 'approval_expiring',
    title: approval.title,
    body: `Expires in ${hoursLeft} h. Undecided work stops then.`,
    subjectKind: 'approvals',
    subjectId: approval.id,
  })
}

/** Expired is never approved: the work that waited is blocked until a person looks at it. */
async function expire(cmd: Command, approval: ApprovalRow): Promise<void> {
  approval.status = 'expired'
  approval.updatedOn = cmd.clock.date()
  const links = await cmd.em.find(ApprovalLink, { approvalId: approval.id, blocking: true })
  const activities = await lockActivities(
    cmd,
    links.map((row) => row.activityId),
  )
  for (const activity of activities) {
    if (isClosed(activity)) continue
    activity.blocker = {
      type: 'approval_expired',
      description: `Nobody decided on “${approval.title}” in time.`,
    }
    moveTo(cmd, activity, 'blocked', 'The approval expired')
    logActivity(cmd, activity, {
      kind: 'blocker',
      message: 'The approval expired undecided',
      data: { approvalId: approval.id },
    })
    cmd.emit({
      tenantId: activity.tenantId,
      type: 'activity_blocked',
      subject: activity.id,
      data: { activityId: activity.id, blockerType: 'approval_expired' },
    })
  }
  cmd.emit({
    tenantId: approval.tenantId,
    type: 'approval_expired',
    subject: approval.id,
    data: { approvalId: approval.id, type: approval.type },
  })
  await notify(cmd, {
    tenantId: approval.tenantId,
    to: 'admins',
    type: 'approval_expiring',
    title: `Expired: ${approval.title}`,
    body: 'Nobody decided in time. The work is blocked; retry the activity to ask again.',
    subjectKind: 'approvals',
    subjectId: approval.id,
  })
}
