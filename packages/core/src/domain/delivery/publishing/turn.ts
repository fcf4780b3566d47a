import type { Ctx, Transaction } from '../../../kernel/context.ts'
import { transact } from '../../../kernel/transact.ts'
import { withAccess } from '../../accounts/channels/access.ts'
import type { ChannelAccount } from '../../accounts/channels/entities.ts'
import type { PlatformCall, PlatformRequest } from '../../accounts/channels/platform-call.ts'
import { PlatformError } from '../../accounts/channels/platform-error.ts'
import { userOf } from '../../work/content/pictures.ts'
import { accountKey } from './account-key.ts'
import { keepOnlyAccount } from './accounts.ts'
import { assetsOf } from './assets.ts'
import { claimPublication, type PublishingTurn } from './claim.ts'
import type { Progress, PublishCall, Published, Reconciled, StillWorking } from './connector.ts'
import type { PublicationRow } from './entities.ts'
import { noteLimits } from './limits.ts'
import { lockConnection, lockPublication, lookAt } from './lock.ts'
import { pictureAddress, pictureFile } from './picture.ts'
import { makePiece } from './piece.ts'
import { leaseMs, mostChecks, waitMs } from './policy.ts'
import { askPerson, hold, settleFailure, settlePublished } from './settle.ts'

/** One turn of an intent: the job `publish.turn`. Whatever it learns is written down under its attempt, or not at all. */
export async function publishTurn(
  ctx: Ctx,
  { publicationId }: { publicationId: string },
  signal: AbortSignal,
): Promise<void> {
  const turn = await claimPublication(ctx, publicationId)
  if (!turn) return
  const outcome = await perform(ctx, turn, signal)
  await transact(ctx, async (txn) => {
    const publication = await held(txn, turn).catch(() => undefined)
    if (!publication)
      return ctx.log.warn('a turn of publishing ended after another had begun', { publicationId })
    await settle(txn, publication, turn, outcome)
  })
}

type Outcome = Published | StillWorking | Reconciled | { failure: PlatformError } | { choose: true }

async function perform(ctx: Ctx, turn: PublishingTurn, signal: AbortSignal): Promise<Outcome> {
  const { connector, connection, publication, act } = turn
  const heard = turn.heard
  const options = {
    rules: connector.rules,
    signal,
    before: (request: PlatformRequest) => beforeRequest(ctx, turn, request),
    onRefused: ({ effect }: PlatformRequest) => {
      if (effect === 'once') turn.inDoubt = false
    },
    onLimits: (limits: typeof heard) => void Object.assign(heard, limits),
  }
  try {
    const about = {
      key: publication.id,
      madeAt: publication.createdOn,
      slug: turn.slug,
      linkTags: publication.linkTags,
      assets: await assetsOf(ctx, turn.text, userOf(turn.output)),
    }
    const { capabilities } = connector
    const own = connection.account && connector.textFor?.(connection.account)
    const limits = own ? { ...capabilities, text: own } : capabilities
    const piece = await makePiece(ctx, turn.text, about, limits)
    return await withAccess(ctx, connection.id, options, async (call) => {
      const account = connection.account ?? (await onlyAccount(ctx, turn, call))
      if (!account) return { choose: true }
      const publish = publishCall(ctx, turn, { ...call, account }, signal)
      return act === 'publish' ? connector.publish(publish, piece) : connector.reconcile(publish, piece)
    })
  } catch (error) {
    // This process is to stop, or has lost the job: that is no fault of the platform's.
    if (signal.aborted && !turn.inDoubt) return { againInS: 0 }
    if (error instanceof PlatformError) return { failure: error }
    ctx.log.warn('a turn of publishing failed', { publicationId: publication.id, error })
    return { failure: new PlatformError('transient', 'Something went wrong here') }
  }
}

/** The account where the consent opens one only; kept with the connection. */
async function onlyAccount(
  ctx: Ctx,
  turn: PublishingTurn,
  call: PlatformCall,
): Promise<ChannelAccount | undefined> {
  const { connector, connection } = turn
  if (!connector.accounts) return {}
  return keepOnlyAccount(ctx, connection.id, await connector.accounts(call))
}

function publishCall(ctx: Ctx, turn: PublishingTurn, call: PlatformCall, signal: AbortSignal): PublishCall {
  const { media } = turn.connector.capabilities
  return {
    ...call,
    fetch: (picture) => pictureFile(ctx, picture, media, signal),
    // A platform at an address that the operator has set may be in the network of this server.
    address: (picture, lasts = 'hour') =>
      pictureAddress(ctx, picture, media, { isNear: call.urls.baseUrl !== undefined, lasts }),
    get progress() {
      return turn.publication.progress
    },
    async save(progress: Progress) {
      turn.publication = await transact(ctx, async (txn) => {
        const publication = await held(txn, turn)
        return Object.assign(publication, { progress, touched: false, leaseUntil: leaseFrom(txn) })
      })
      turn.inDoubt = false
    },
  }
}

/** A request that must not be repeated is noted before it is sent, and none is sent after the lease has ended. */
async function beforeRequest(ctx: Ctx, turn: PublishingTurn, { effect }: PlatformRequest): Promise<void> {
  const { leaseUntil, touched } = turn.publication
  if (effect === 'once') turn.inDoubt = true
  const rest = (leaseUntil?.getTime() ?? 0) - ctx.clock.now()
  if (rest > leaseMs / 2 && (effect !== 'once' || touched)) return
  turn.publication = await transact(ctx, async (txn) => {
    const publication = await held(txn, turn)
    return Object.assign(publication, {
      touched: publication.touched || effect === 'once',
      leaseUntil: leaseFrom(txn),
    })
  })
}

const leaseFrom = ({ clock }: Ctx) => new Date(clock.now() + leaseMs)

/** The intent, as long as it is this turn's. @throws Error when another turn has taken it over, or a person has ended it */
async function held(txn: Transaction, { publication, act }: PublishingTurn): Promise<PublicationRow> {
  const row = await lockPublication(txn, publication.id)
  const status = act === 'publish' ? 'sending' : 'unknown'
  if (row.attempt !== publication.attempt || row.status !== status)
    throw new Error('Another turn has taken this intent over')
  return row
}

async function settle(
  txn: Transaction,
  publication: PublicationRow,
  turn: PublishingTurn,
  outcome: Outcome,
): Promise<void> {
  const connection = await lockConnection(txn, publication.channelId)
  if (connection) noteLimits(connection, turn.heard)
  if (connection?.account) publication.accountKey ??= accountKey(connection.account)
  if ('failure' in outcome) return settleError(txn, publication, turn, outcome.failure)
  if ('choose' in outcome) return hold(txn, publication, 'account_choice')
  if ('againInS' in outcome) {
    publication.status = 'scheduled'
    return lookAt(txn, publication, new Date(txn.clock.now() + outcome.againInS * 1_000))
  }
  if (!('state' in outcome) || outcome.state === 'published')
    return settlePublished(txn, publication, outcome)
  if (outcome.state === 'cannot_tell') return askPerson(txn, publication, 'The platform cannot tell')
  if (outcome.state === 'unclear') return checkAgain(txn, publication, 'The platform does not show it')
  // It is not there: it goes out again, as if it had not been tried.
  Object.assign(publication, { status: 'scheduled', touched: false, checks: 0 })
  lookAt(txn, publication, txn.clock.date())
}

function settleError(
  txn: Transaction,
  publication: PublicationRow,
  { act, inDoubt }: PublishingTurn,
  failure: PlatformError,
): Promise<void> | void {
  if (act === 'publish') publication.touched = inDoubt
  if (failure.kind === 'auth') return hold(txn, publication, 'channel_disconnected')
  if (act === 'publish') return settleFailure(txn, publication, failure)
  return checkAgain(txn, publication, failure.message, failure.until)
}

/** @param until not before then, where the platform says so */
function checkAgain(
  txn: Transaction,
  publication: PublicationRow,
  why: string,
  until?: Date,
): Promise<void> | void {
  publication.checks += 1
  publication.error = why
  if (publication.checks >= mostChecks) return askPerson(txn, publication, why)
  lookAt(txn, publication, until ?? new Date(txn.clock.now() + waitMs(publication.checks)))
}
