import type { Transaction } from '../../../kernel/context.ts'
import type { ActivityRow } from '../activities/entities.ts'
import { isClosed, logActivity } from '../activities/state.ts'
import type { OutputRow } from '../content/entities.ts'
import { Approval, ApprovalLink, type ApprovalRow } from './entities.ts'
import { publishResolved } from './pending.ts'
import { openApproval } from './request-approval.ts'

/** What people are asked about the text of an activity, the oldest first. */
export function askedAbout(txn: Transaction, activity: ActivityRow): Promise<ApprovalRow[]> {
  return txn.em.find(Approval, { contentOf: activity.id, status: 'pending' }, { orderBy: { id: 'asc' } })
}

/**
 * New content voids the old approval: anyone who was asked about an older version is asked again about this one, so that a verdict
 * never reaches a text that was not shown. A question that showed no text yet shows its first. What is with the client goes
 * back to the reviewer, who has not seen the new version either; of closed work no one is asked any more.
 * The caller has made the version and holds the activity's lock, which every verdict on it takes as well.
 * @param asked see `askedAbout`
 */
export async function voidOutdated(
  txn: Transaction,
  activity: ActivityRow,
  output: OutputRow,
  asked: readonly ApprovalRow[],
): Promise<void> {
  for (const approval of asked) {
    // What is being decided in this very transaction is not outdated by its own edit.
    if (approval.status !== 'pending' || approval.contentHash === output.sha256) continue
    if (approval.contentHash === null) {
      approval.outputId = output.id
      approval.contentHash = output.sha256
      approval.updatedOn = txn.clock.date()
    } else await replace(txn, approval, activity, output)
  }
}

async function replace(
  txn: Transaction,
  old: ApprovalRow,
  activity: ActivityRow,
  output: OutputRow,
): Promise<void> {
  const { tenantId, campaignId, title, type, options, description, riskLevel, contentOf } = old
  old.status = 'expired'
  old.resolution = 'voided'
  old.updatedOn = txn.clock.date()
  logActivity(txn, activity, {
    kind: 'approval',
    message: `“${title}” is void: version ${output.version} is there`,
    data: { approvalId: old.id },
  })
  if (!isClosed(activity) && old.forwardedFrom === null) {
    const links = await txn.em.find(ApprovalLink, { approvalId: old.id })
    const { approval } = await openApproval(
      txn,
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
  txn.audit({
    tenantId,
    resourceType: 'approval',
    resourceId: old.id,
    before: { status: 'pending', contentHash: old.contentHash },
    after: { status: old.status, resolution: old.resolution, replacedBy: old.replacedBy },
    action: 'approval.voided',
  })
  publishResolved(txn, old)
}
