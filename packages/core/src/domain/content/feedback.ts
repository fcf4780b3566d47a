import type { FilterQuery, InferEntity } from '@mikro-orm/core'
import type { ActivityRow } from '../activities/entities.ts'
import type { Command } from '../context.ts'
import { Feedback } from './entities.ts'

/** What a tenant's people say about one kind of content is remembered under this name. */
export function contentKind(activity: Pick<ActivityRow, 'deliverableType' | 'agentRole' | 'type'>): string {
  return activity.deliverableType ?? activity.agentRole ?? activity.type
}

/** Keeps what a person said about a piece, so that the next prompt of that kind carries it. */
export function remember(
  cmd: Command,
  activity: ActivityRow,
  feedback: {
    kind: 'note' | 'edit' | 'approved' | 'rejected' | 'revision_requested'
    text: string
    approvalId?: string
  },
): void {
  cmd.em.create(Feedback, {
    id: cmd.newId(),
    tenantId: activity.tenantId,
    contentKind: contentKind(activity),
    kind: feedback.kind,
    text: feedback.text,
    activityId: activity.id,
    approvalId: feedback.approvalId ?? null,
    createdOn: cmd.clock.date(),
  })
}

/** Everything people said about one activity, newest first. */
export async function notesOn(cmd: Command, activityId: string): Promise<string[]> {
  const rows = await cmd.em.find(
    Feedback,
    { activityId, kind: { $ne: 'edit' }, text: { $ne: '' } },
    { orderBy: { id: 'desc' } },
  )
  return rows.map((row) => row.text)
}

/** The latest notes on one kind of a tenant's content, newest first. */
export async function latestFeedback(
  cmd: Command,
  tenantId: string,
  kind: string,
  limit = 5,
): Promise<string[]> {
  return textsOf(cmd, { tenantId, contentKind: kind, kind: { $ne: 'edit' }, text: { $ne: '' } }, limit)
}

/** What people changed with their own hands in one kind of a tenant's content, newest first. */
export async function latestEdits(
  cmd: Command,
  tenantId: string,
  kind: string,
  limit = 5,
): Promise<string[]> {
  return textsOf(cmd, { tenantId, contentKind: kind, kind: 'edit', text: { $ne: '' } }, limit)
}

async function textsOf(
  cmd: Command,
  which: FilterQuery<InferEntity<typeof Feedback>>,
  limit: number,
): Promise<string[]> {
  const rows = await cmd.em.find(Feedback, which, { orderBy: { id: 'desc' }, limit })
  return rows.map((row) => row.text)
}
