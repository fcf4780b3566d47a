import type { ActivityRow } from '../activities/entities.ts'
import { logActivity } from '../activities/log.ts'
import { isClosed } from '../activities/state.ts'
import type { OutputRow } from '../content/entities.ts'
import type { Command } from '../context.ts'
import { openApproval } from './ask.ts'
import { Approval, ApprovalLink, type ApprovalRow } from './entities.ts'
import { tellResolved } from './tell.ts'

/**
 * New content voids the old approval: whoever was asked about an older version is asked anew about this one, so that a verdict
 * never reaches a text that was not shown. A question that showed no text yet shows its first. What is with the client goes
 * back to the reviewer, who has not seen the new version either; of closed work nobody is asked any more.
 * The caller has made the version and holds the activity's lock, which every verdict on it takes as well.
 */
export async function voidOutdated(cmd: Command, activity: ActivityRow, output: OutputRow): Promise<void> {
  const asked = await cmd.em.find(
    Approval,
    { contentOf: activity.id, status: 'pending' },
    { orderBy: { id: 'asc' } },
  )
  for (const approval of asked) {
    // What is being decided in this very transaction is not outdated by its own edit.
    if (approval.status !== 'pending' || approval.contentHash === output.sha256) continue
    if (approval.contentHash === null) {
      approval.outputId = output.id
      approval.contentHash = output.sha256
      approval.updatedOn = cmd.clock.date()
    } else await replace(cmd, approval, activity, output)
  }
}

async function replace(
  cmd: Command,
  old: ApprovalRow,
  activity: ActivityRow,
  output: OutputRow,
): Promise<void> {
  const { tenantId, campaignId, title, type, options, description, riskLevel, contentOf } = old
  old.status = 'expired'
  old.resolution = 'voided'
  old.updatedOn = cmd.clock.date()
  logActivity(cmd, activity, {
    kind: 'approval',
    message: `“${title}” is void: version ${output.version} is there`,
    data: { approvalId: old.id },
  })
  if (!isClosed(activity) && old.forwardedFrom === null) {
    const links = await cmd.em.find(ApprovalLink, { approvalId: old.id })
    const { approval } = await openApproval(
      cmd,
      {
        tenantId,
        campaignId,
        title,
        type,
        options,
        description,
        riskLevel,
        contentOf,
        outputId: output.id,
        contentHash: output.sha256,
        forwardedFrom: null,
        askedBy: { id: old.createdById, name: old.createdByName, type: old.createdByType },
      },
      links.map(({ activityId, blocking }) => ({ activityId, blocking })),
    )
    old.replacedBy = approval.id
  }
  cmd.audit({
    tenantId,
    resourceType: 'approval',
    resourceId: old.id,
    before: { status: 'pending', contentHash: old.contentHash },
    after: { status: old.status, resolution: old.resolution, replacedBy: old.replacedBy },
    action: 'approval.voided',
  })
  tellResolved(cmd, old)
}
