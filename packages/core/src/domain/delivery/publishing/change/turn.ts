import type { Ctx, Transaction } from '../../../../kernel/context.ts'
import { transact } from '../../../../kernel/transact.ts'
import { PlatformError } from '../../../accounts/channels/platform-error.ts'
import type { ActivityRow } from '../../../work/activities/entities.ts'
import { lockActivity } from '../../../work/activities/state.ts'
import type { PublishCall, Published, StillWorking } from '../connector.ts'
import type { PublicationRow } from '../entities.ts'
import { noteLimits, waitOfRefusal } from '../limits.ts'
import { lockConnection, lockPublication, lookAtChange } from '../lock.ts'
import { perform, type TurnOutcome } from '../perform.ts'
import type { OutgoingPiece } from '../piece.ts'
import { mostTurns, waitMs } from '../policy.ts'
import { toPost } from '../post-text.ts'
import { type ChangeTurn, claimChange } from './claim.ts'
import { settleChanged } from './settle.ts'
import { failChange, holdChange } from './stop.ts'

/** One turn of a newer text that takes the place of one that is out: the job `publish.change`. */
export async function changeTurn(
  ctx: Ctx,
  { publicationId }: { publicationId: string },
  signal: AbortSignal,
): Promise<void> {
  const turn = await claimChange(ctx, publicationId)
  if (!turn) return
  const outcome = await perform(ctx, turn, signal, (call, piece) => edit(turn, call, piece))
  await transact(ctx, async (txn) => {
    const { activityId, attempt } = turn.publication
    const activity = await lockActivity(txn, activityId)
    const publication = await lockPublication(txn, publicationId)
    if (publication.attempt !== attempt || publication.status !== 'published')
      return ctx.log.warn('a turn of a change ended after another had begun', { publicationId })
    await settle(txn, activity, publication, turn, outcome)
  })
}

async function edit(
  { connector, publication, former, text }: ChangeTurn,
  call: PublishCall,
  piece: OutgoingPiece,
): Promise<Published | StillWorking> {
  const { takes, media } = connector.capabilities
  const samePictures = takes === 'article' || picturesOf(former) === picturesOf(text)
  if (media.fixed && !samePictures)
    throw new PlatformError(
      'validation',
      'The platform cannot change the pictures of a post that is out: take it back and publish it again',
    )
  const { externalId, url } = publication
  if (!connector.edit || !externalId)
    throw new PlatformError('policy', 'The platform cannot change this post')
  return connector.edit(call, piece, { externalId, url, samePictures })
}

/** The pictures of a post with their words, in order. */
const picturesOf = (text: string) => JSON.stringify(toPost(text).media)

async function settle(
  txn: Transaction,
  activity: ActivityRow,
  publication: PublicationRow,
  turn: ChangeTurn,
  outcome: Published | TurnOutcome,
): Promise<void> {
  const connection = await lockConnection(txn, publication.channelId)
  const failed = 'failure' in outcome ? outcome.failure : undefined
  if (connection) noteLimits(connection, turn.heard)
  const waitsUntil = waitOfRefusal(connection, failed, txn.clock.now())
  publication.leaseUntil = null
  if ('externalId' in outcome) return settleChanged(txn, activity, publication, turn, outcome)
  const { changeStatus, changeOutputId } = publication
  // A person has dropped it meanwhile, or takes the post back.
  if (changeStatus !== 'sending') return
  publication.changeStatus = 'waiting'
  const isReplaced = changeOutputId !== turn.output.id
  if ('choose' in outcome) return holdChange(txn, publication, 'account_choice')
  if ('againInS' in outcome) return again(txn, publication, isReplaced ? 0 : outcome.againInS * 1_000)
  const { failure } = outcome
  if (failure.kind === 'auth') return holdChange(txn, publication, 'channel_disconnected')
  if (waitsUntil) {
    Object.assign(publication, { changeErrorKind: failure.kind, changeError: failure.message })
    return lookAtChange(txn, publication, waitsUntil)
  }
  if (isReplaced) return again(txn, publication, 0)
  return settleFailure(txn, publication, failure)
}

/** The request of a change can be repeated, whatever became of its answer. */
function settleFailure(
  txn: Transaction,
  publication: PublicationRow,
  { kind, message }: PlatformError,
): Promise<void> | void {
  publication.changeFailures += 1
  Object.assign(publication, { changeErrorKind: kind, changeError: message })
  const { changeFailures: failures } = publication
  if (kind === 'policy' || kind === 'validation') return failChange(txn, publication, message)
  if (failures >= mostTurns) return failChange(txn, publication, message)
  return again(txn, publication, waitMs(failures))
}

const again = (txn: Transaction, publication: PublicationRow, ms: number): void =>
  lookAtChange(txn, publication, new Date(txn.clock.now() + ms))
