import type { FilterQuery, InferEntity } from '@mikro-orm/core'
import type { Transaction } from '../../../kernel/context.ts'
import type { ActivityRow } from '../activities/entities.ts'
import { Feedback } from './entities.ts'

/** What a tenant's people say about one kind of content is remembered under this name. */
export function contentKind(activity: Pick<ActivityRow, 'deliverableType' | 'agentRole' | 'type'>): string {
  return activity.deliverableType ?? activity.agentRole ?? activity.type
}

/** Keeps what a person said about a piece, so that the next prompt of that kind carries it. */
export function recordFeedback(
  txn: Transaction,
  activity: ActivityRow,
  feedback: {
    kind: 'note' | 'edit' | 'approved' | 'rejected' | 'revision_requested'
    text: string
    approvalId?: string
  },
): void {
  txn.insert(Feedback, {
    id: txn.newId(),
    tenantId: activity.tenantId,
    contentKind: contentKind(activity),
    kind: feedback.kind,
    text: feedback.text,
    activityId: activity.id,
    approvalId: feedback.approvalId ?? null,
    createdOn: txn.clock.date(),
  })
}

/** Everything people said about one activity, newest first. */
export async function notesOn(txn: Transaction, activityId: string): Promise<string[]> {
  const rows = await txn.em.find(
    Feedback,
    { activityId, kind: { $ne: 'edit' }, text: { $ne: '' } },
    { orderBy: { id: 'desc' } },
  )
  return rows.map((row) => row.text)
}

/** The latest notes on one kind of a tenant's content, newest first. */
export async function latestFeedback(
  txn: Transaction,
  tenantId: string,
  kind: string,
  limit = 5,
): Promise<string[]> {
  return textsOf(txn, { tenantId, contentKind: kind, kind: { $ne: 'edit' }, text: { $ne: '' } }, limit)
}

/** What people changed with their own hands in one kind of a tenant's content, newest first. */
export async function latestEdits(
  txn: Transaction,
  tenantId: string,
  kind: string,
  limit = 5,
): Promise<string[]> {
  return textsOf(txn, { tenantId, contentKind: kind, kind: 'edit', text: { $ne: '' } }, limit)
}

async function textsOf(
  txn: Transaction,
  which: FilterQuery<InferEntity<typeof Feedback>>,
  limit: number,
): Promise<string[]> {
  const rows = await txn.em.find(Feedback, which, { orderBy: { id: 'desc' }, limit })
  return rows.map((row) => row.text)
}
