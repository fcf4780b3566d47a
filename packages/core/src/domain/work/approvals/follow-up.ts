import { actorName, type Transaction } from '../../../kernel/context.ts'
import { endForGood } from '../activities/cancel.ts'
import type { ActivityRow } from '../activities/entities.ts'
import { isClosed, logActivity } from '../activities/state.ts'
import { recordFeedback } from '../content/feedback.ts'
import type { Wake } from '../runs/entities.ts'
import { wake } from '../runs/queue/wake.ts'
import type { ApprovalRow } from './entities.ts'
import type { Verdict, VerdictReceipt } from './schemas.ts'

/** Writes the verdict down at every linked activity, and remembers it for the next prompts of its kind. */
export function noteVerdict(
  txn: Transaction,
  approval: ApprovalRow,
  activities: readonly ActivityRow[],
  verdict: Verdict,
): void {
  for (const activity of activities) {
    logActivity(txn, activity, {
      kind: 'verdict',
      message: verdictLine(txn, approval, verdict),
      data: { approvalId: approval.id },
    })
    recordFeedback(txn, activity, {
      kind: verdict.resolution,
      text: verdict.note?.trim() ?? '',
      approvalId: approval.id,
    })
  }
}

/** Wakes every linked activity with the verdict. @returns how many were given back to their agents */
export async function wakeProducers(
  txn: Transaction,
  approval: ApprovalRow,
  activities: readonly ActivityRow[],
  verdict: Verdict,
  reason?: 'rejection',
): Promise<number> {
  let woken = 0
  for (const activity of activities) {
    if (isClosed(activity)) continue
    activity.failures = 0
    if (await wake(txn, activity, wakeFor(approval, verdict, reason))) woken += 1
  }
  return woken
}

/** What becomes of the linked activities. */
export type FollowUp = Pick<VerdictReceipt, 'reEnqueuedActivities' | 'endedActivities'>

/** Ends what is still open of the linked activities for good. */
export async function endWork(
  txn: Transaction,
  activities: readonly ActivityRow[],
  { note }: Verdict,
): Promise<FollowUp> {
  const open = activities.filter((activity) => !isClosed(activity))
  const followers = await endForGood(txn, open, { act: 'Rejected for good', reason: note ?? '' })
  return { reEnqueuedActivities: 0, endedActivities: [...open.map(({ id }) => id), ...followers] }
}

function wakeFor(
  { edited }: ApprovalRow,
  { resolution, note, selectedOption }: Verdict,
  reason?: 'rejection',
): Wake {
  if (resolution === 'approved') {
    const comment = [edited && 'The reviewer edited the text and approved it as it now is.', note]
      .filter(Boolean)
      .join('\n\n')
    return {
      reason: 'review_approved',
      note: { ...(selectedOption && { selectedOption }), ...(comment && { comment }) },
    }
  }
  const text = note ?? ''
  return {
    reason: reason ?? 'review_feedback',
    note: {
      rejectionNote: text,
      ...((resolution === 'revision_requested' || reason) && { reviewerFeedback: text }),
    },
  }
}

function verdictLine(
  txn: Transaction,
  { edited }: ApprovalRow,
  { resolution, note, selectedOption }: Verdict,
): string {
  const parts = [
    `${actorName(txn)}: ${resolution.replaceAll('_', ' ')}${edited ? ' with edits of their own' : ''}`,
  ]
  if (selectedOption) parts.push(`chose “${selectedOption}”`)
  if (note) parts.push(`“${note}”`)
  return parts.join(', ')
}
