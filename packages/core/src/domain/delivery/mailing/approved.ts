import type { Transaction } from '../../../kernel/context.ts'
import { Activity, type ActivityRow } from '../../work/activities/entities.ts'
import { isApproved } from '../../work/approvals/pending.ts'
import { latestOutput } from '../../work/content/versions.ts'

/** True as long as the newest text of an activity is the one of this SHA-256, and a person has approved it. */
export async function isStillApproved(
  txn: Transaction,
  activityId: string,
  contentHash: string,
): Promise<boolean> {
  const activity: ActivityRow | null = await txn.em.findOne(Activity, { id: activityId })
  const output = activity && (await latestOutput(txn, activityId))
  return output?.sha256 === contentHash && (await isApproved(txn, activity as ActivityRow, output))
}
