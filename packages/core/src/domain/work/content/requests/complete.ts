import { LockMode } from '@mikro-orm/core'
import type { Transaction } from '../../../../kernel/context.ts'
import type { ActivityRow } from '../../activities/entities.ts'
import { ContentRequest, RequestPiece, type RequestRow, type SocialPlatform } from './entities.ts'

type Step = Pick<ActivityRow, 'periodId' | 'piece' | 'parentActivityId'>

/** The piece of a request that an activity is a step of; null for what campaigns have planned. */
async function pieceOf(txn: Transaction, { periodId, piece, parentActivityId }: Step) {
  if (periodId === null || piece === null || parentActivityId !== null) return null
  return txn.em.findOne(RequestPiece, { periodId, piece })
}

/** What an activity's piece is about, where someone has asked for it. */
export async function subjectOf(
  txn: Transaction,
  activity: Step,
): Promise<{ topic?: string; keyword?: string; platforms?: readonly string[] }> {
  const piece = await pieceOf(txn, activity)
  const request = piece && (await txn.em.findOne(ContentRequest, { id: piece.requestId }))
  if (!request) return {}
  const { topic, targetKeyword } = request
  return {
    topic,
    ...(targetKeyword && { keyword: targetKeyword }),
    ...(piece.platform && { platforms: [piece.platform] }),
  }
}

/** Where someone who asked for a piece wants it published, and when; undefined for what campaigns have planned. */
export async function requestedPlace(
  txn: Transaction,
  activity: Step,
): Promise<
  (Pick<RequestRow, 'channelId' | 'scheduleFor'> & { platform: SocialPlatform | null }) | undefined
> {
  const piece = await pieceOf(txn, activity)
  const request = piece && (await txn.em.findOne(ContentRequest, { id: piece.requestId }))
  if (!request) return undefined
  return { platform: piece.platform, channelId: request.channelId, scheduleFor: request.scheduleFor }
}

/** The id that the blog post of a requested piece has been promised under. */
export async function requestedPostId(txn: Transaction, activity: Step): Promise<string | null> {
  const piece = await pieceOf(txn, activity)
  const request = piece && (await txn.em.findOne(ContentRequest, { id: piece.requestId }))
  return request?.blogPostId ?? null
}

/** Completes the request whose last piece this is. Called when the final step of a piece is done. */
export async function completeRequest(txn: Transaction, activity: Step): Promise<void> {
  const found = await pieceOf(txn, activity)
  if (!found) return
  const { requestId } = found
  // Of two pieces that end at the same moment, the second must see that the first has.
  const lockMode = LockMode.PESSIMISTIC_WRITE
  const request = await txn.em.findOne(ContentRequest, { id: requestId }, { lockMode })
  found.done = true
  await txn.em.flush()
  if (request?.status !== 'in_production') return
  if ((await txn.em.count(RequestPiece, { requestId, done: false })) > 0) return
  request.status = 'completed'
  request.updatedOn = txn.clock.date()
}
