import type { ActivityRow } from '../activities/entities.ts'
import { Approval, ApprovalLink, type ApprovalRow } from '../approvals/entities.ts'
import type { OutputRow } from '../content/entities.ts'
import type { Command } from '../context.ts'

/** What an activity waits to be told by people. */
export async function openQuestions(cmd: Command, activity: ActivityRow): Promise<ApprovalRow[]> {
  const links = await cmd.em.find(ApprovalLink, { activityId: activity.id, blocking: true })
  return cmd.em.find(Approval, { id: { $in: links.map((row) => row.approvalId) }, status: 'pending' })
}

/**
 * What waits for a verdict is asked about its newest version: a verdict on an older one is told that it changed. A question
 * about something else than the text stays so; else its answer would approve a text that it does not show.
 */
export async function showNewest(
  cmd: Command,
  activity: ActivityRow,
  output: OutputRow | null,
): Promise<void> {
  if (!output) return
  for (const approval of await openQuestions(cmd, activity)) {
    if (approval.type !== 'content_review' && approval.contentHash === null) continue
    approval.outputId = output.id
    approval.contentHash = output.sha256
    approval.updatedOn = cmd.clock.date()
  }
}

/** True when a person has approved exactly these bytes. */
export async function isApproved(cmd: Command, activity: ActivityRow, output: OutputRow): Promise<boolean> {
  const links = await cmd.em.find(ApprovalLink, { activityId: activity.id })
  const ids = links.map((row) => row.approvalId)
  return (
    (await cmd.em.count(Approval, { id: { $in: ids }, status: 'approved', contentHash: output.sha256 })) > 0
  )
}
