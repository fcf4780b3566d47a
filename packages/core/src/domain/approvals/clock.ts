import { block } from '../activities/block.ts'
import { logActivity } from '../activities/log.ts'
import { asksPeople, isClosed } from '../activities/state.ts'
import { command } from '../command.ts'
import type { Command, Ctx } from '../context.ts'
import { notify } from '../notifications/notify.ts'
import { openQuestions } from '../runs/questions.ts'
import type { ApprovalRow } from './entities.ts'
import { type Locked, lockApproval } from './pending.ts'

/**
 * The `approval.clock` job: warns people four hours before a pending approval expires, and expires it when its time has
 * come. A clock that was restarted makes the old one's jobs do nothing.
 */
export async function approvalClock(ctx: Ctx, payload: Record<string, unknown>): Promise<void> {
  const { approvalId, expiresAt } = payload as { approvalId: string; expiresAt: string }
  await command(ctx, async (cmd) => {
    const locked = await lockApproval(cmd, approvalId)
    const { approval } = locked
    if (approval.status !== 'pending' || approval.expiresAt.toISOString() !== expiresAt) return
    if (approval.expiresAt.getTime() <= cmd.clock.now()) await expire(cmd, locked)
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
    urgent: approval.riskLevel === 'high',
    title: approval.title,
    body: `Expires in ${hoursLeft} h. Undecided work stops then.`,
    subjectKind: 'approvals',
    subjectId: approval.id,
  })
}

/** Expired is never approved: the work that still waits for it, and for nothing else, is blocked until a person looks at it. */
async function expire(cmd: Command, { approval, activities, waiting }: Locked): Promise<void> {
  approval.status = 'expired'
  approval.updatedOn = cmd.clock.date()
  await cmd.em.flush()
  for (const activity of activities) {
    if (!waiting.has(activity.id)) continue
    if (!asksPeople(activity) || (await openQuestions(cmd, activity)).length > 0) {
      if (!isClosed(activity))
        logActivity(cmd, activity, {
          kind: 'approval',
          message: `“${approval.title}” expired undecided`,
          data: { approvalId: approval.id },
        })
      continue
    }
    await block(cmd, activity, {
      type: 'approval_expired',
      description: `Nobody decided on “${approval.title}” in time.`,
      resolution: 'Try the activity again: it asks anew.',
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
    body: 'Nobody decided in time. Work that waited for it is blocked; try it again to ask anew.',
    subjectKind: 'approvals',
    subjectId: approval.id,
  })
}
