import type { Ctx, Transaction } from '../../../kernel/context.ts'
import { transact } from '../../../kernel/transact.ts'
import { withAccess } from '../../accounts/channels/access.ts'
import type { ChannelAccount, ConnectionRow } from '../../accounts/channels/entities.ts'
import type { PlatformCall, PlatformRequest } from '../../accounts/channels/platform-call.ts'
import { PlatformError } from '../../accounts/channels/platform-error.ts'
import type { OutputRow } from '../../work/content/entities.ts'
import { userOf } from '../../work/content/pictures.ts'
import { requireAccount } from './account-key.ts'
import { keepOnlyAccount } from './accounts.ts'
import { assetsOf } from './assets.ts'
import { type Connector, limitsAt, type Progress, type PublishCall, type StillWorking } from './connector.ts'
import type { PublicationRow } from './entities.ts'
import { lockPublication } from './lock.ts'
import { pictureAddress, pictureFile } from './picture.ts'
import { makePiece, type OutgoingPiece } from './piece.ts'
import { leaseMs } from './policy.ts'

/** An intent in the hands of one turn. */
export interface PublishingTurn {
  publication: PublicationRow
  connection: ConnectionRow
  connector: Connector
  /** The approved bytes, and the version that they are. */
  text: string
  output: Pick<OutputRow, 'id' | 'tenantId'>
  slug: string | null
  /** What the platform is asked for: to publish, what has become of it, or to show a newer text. */
  act: 'publish' | 'reconcile' | 'change'
  /** What the platform has said about its limits meanwhile. */
  heard: Record<string, { left: number; until: Date }>
  /** A request that must not be repeated has gone out, and its answer was neither kept nor a plain refusal. */
  inDoubt: boolean
}

/** What came of a turn beside what the platform has answered. */
export type TurnOutcome = StillWorking | { failure: PlatformError } | { choose: true }

/** Does the work of a turn with its channel's account: the piece is made of the turn's text and nothing else. */
export async function perform<R>(
  ctx: Ctx,
  turn: PublishingTurn,
  signal: AbortSignal,
  work: (call: PublishCall, piece: OutgoingPiece) => Promise<R>,
): Promise<R | TurnOutcome> {
  const { connector, connection, publication } = turn
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
    const piece = await makePiece(ctx, turn.text, about, limitsAt(connector, connection.account))
    return await withAccess(ctx, connection.id, options, async (call) => {
      const account = connection.account ?? (await onlyAccount(ctx, turn, call))
      if (!account) return { choose: true }
      if (turn.act === 'change')
        requireAccount(publication, connection.account ? call.account : account, 'change the post there')
      return work(publishCall(ctx, turn, { ...call, account }, signal), piece)
    })
  } catch (error) {
    // This process is to stop, or has lost the job: that is no fault of the platform's.
    if ((signal.aborted && !turn.inDoubt) || error instanceof TurnOver) return { againInS: 0 }
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

/**
 * A request that must not be repeated is noted before it is sent, and none is sent after the lease has ended. One that changes a post can be
 * repeated: it is not sent once a newer text has been planned.
 */
async function beforeRequest(
  ctx: Ctx,
  turn: PublishingTurn,
  { effect, method = 'GET' }: PlatformRequest,
): Promise<void> {
  const { leaseUntil, touched } = turn.publication
  if (effect === 'once') turn.inDoubt = true
  const rest = (leaseUntil?.getTime() ?? 0) - ctx.clock.now()
  const isNoted = turn.act === 'change' ? method === 'GET' : effect !== 'once' || touched
  if (rest > leaseMs / 2 && isNoted) return
  turn.publication = await transact(ctx, async (txn) => {
    const publication = await held(txn, turn)
    return Object.assign(publication, {
      touched: publication.touched || effect === 'once',
      leaseUntil: leaseFrom(txn),
    })
  })
}

const leaseFrom = ({ clock }: Ctx) => new Date(clock.now() + leaseMs)

/** What the columns of an intent say as long as it is a turn's. */
const isHeldBy: Record<
  PublishingTurn['act'],
  (row: PublicationRow, output: PublishingTurn['output']) => boolean
> = {
  publish: ({ status }) => status === 'sending',
  reconcile: ({ status }) => status === 'unknown',
  change: ({ status, changeStatus, changeOutputId }, { id }) =>
    status === 'published' && changeStatus === 'sending' && changeOutputId === id,
}

/** Another turn has taken the intent over, or a person has ended it. */
class TurnOver extends Error {
  override readonly name = 'TurnOver'
}

/** The intent, as long as it is this turn's. @throws TurnOver */
export async function held(
  txn: Transaction,
  { publication, act, output }: PublishingTurn,
): Promise<PublicationRow> {
  const row = await lockPublication(txn, publication.id)
  if (row.attempt !== publication.attempt || !isHeldBy[act](row, output))
    throw new TurnOver('Another turn has taken this intent over')
  return row
}
