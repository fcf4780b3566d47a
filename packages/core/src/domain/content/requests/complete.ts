import { LockMode } from '@mikro-orm/core'
import type { ActivityRow } from '../../activities/entities.ts'
import type { Command } from '../../context.ts'
import { ContentRequest, RequestPiece } from './entities.ts'

type Step = Pick<ActivityRow, 'periodId' | 'piece' | 'parentActivityId'>

/** The piece of a request that an activity is a step of; null for what campaigns have planned. */
async function pieceOf(cmd: Command, { periodId, piece, parentActivityId }: Step) {
  if (periodId === null || piece === null || parentActivityId !== null) return null
  return cmd.em.findOne(RequestPiece, { periodId, piece })
}

/** What an activity's piece is about, where somebody has asked for it. */
export async function subjectOf(
  cmd: Command,
  activity: Step,
): Promise<{ topic?: string; keyword?: string; platforms?: readonly string[] }> {
  const piece = await pieceOf(cmd, activity)
  const request = piece && (await cmd.em.findOne(ContentRequest, { id: piece.requestId }))
  if (!request) return {}
  const { topic, targetKeyword } = request
  return {
    topic,
    ...(targetKeyword && { keyword: targetKeyword }),
    ...(piece.platform && { platforms: [piece.platform] }),
  }
}

/** The id that the blog post of a requested piece has been promised under. */
export async function requestedPostId(cmd: Command, activity: Step): Promise<string | null> {
  const piece = await pieceOf(cmd, activity)
  const request = piece && (await cmd.em.findOne(ContentRequest, { id: piece.requestId }))
  return request?.blogPostId ?? null
}

/** Completes the request whose last piece this is. Called when the final step of a piece is done. */
export async function completeRequest(cmd: Command, activity: Step): Promise<void> {
  const found = await pieceOf(cmd, activity)
  if (!found) return
  const { requestId } = found
  // Of two pieces that end at the same moment, the second must see that the first has.
  const lockMode = LockMode.PESSIMISTIC_WRITE
  const request = await cmd.em.findOne(ContentRequest, { id: requestId }, { lockMode })
  found.done = true
  await cmd.em.flush()
  if (request?.status !== 'in_production') return
  if ((await cmd.em.count(RequestPiece, { requestId, done: false })) > 0) return
  request.status = 'completed'
  request.updatedOn = cmd.clock.date()
}
