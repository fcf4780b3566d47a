import type { ActivityRow } from '../activities/entities.ts'
import { Approval, ApprovalLink, type ApprovalRow } from '../approvals/entities.ts'
import type { OutputRow } from '../content/entities.ts'
import type { Command } from '../context.ts'

/** What an activity waits to be told by people. */
export async function openQuestions(cmd: Command, activity: ActivityRow): Promise<ApprovalRow[]> {
  const links = await cmd.em.find(ApprovalLink, { activityId: activity.id, blocking: true })
  return cmd.em.find(Approval, { id: { $in: links.map((row) => row.approvalId) }, status: 'pending' })
}

/** True when a person has approved exactly these bytes. */
export async function isApproved(cmd: Command, activity: ActivityRow, output: OutputRow): Promise<boolean> {
  const about = { contentOf: activity.id, contentHash: output.sha256 }
  return (await cmd.em.count(Approval, { ...about, status: 'approved' })) > 0
}
