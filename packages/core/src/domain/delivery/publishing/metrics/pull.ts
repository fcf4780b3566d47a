import type { Ctx } from '../../../../kernel/context.ts'
import { addDays, dayIn, startOfDay } from '../../../../kernel/periods.ts'
import { transact } from '../../../../kernel/transact.ts'
import { withAccess } from '../../../accounts/channels/access.ts'
import { ChannelConnection, type ConnectionRow } from '../../../accounts/channels/entities.ts'
import type { PlatformCall } from '../../../accounts/channels/platform-call.ts'
import { PlatformError } from '../../../accounts/channels/platform-error.ts'
import { accountKey } from '../account-key.ts'
import type { Connector } from '../connector.ts'
import { pullMetricsJob } from '../jobs.ts'
import { noteLimits } from '../limits.ts'
import { lockConnection } from '../lock.ts'
import { channelsWithPosts, postsOf, recordFigures } from './queries.ts'

/** How long after it went out a post is asked about, days. */
const followedDays = 90
/** Channels that are asked for in one command, and posts that one job asks about. */
const roundSize = 500
const turnSize = 50
/** Posts whose figures are refused, and none told, after which a platform is asked no more in this round. */
const mostRefused = 3
/** Requests that are left to what is to be published, of what a platform still allows. */
const reserve = 20

/** Asks for the figures of every channel on which something is out: the job `publish.metrics.daily`. */
export async function pullDaily(ctx: Ctx): Promise<void> {
  const day = today(ctx)
  const since = firstInstant(day)
  for (let after = ''; ; ) {
    const part = await channelsWithPosts(ctx, since, after, roundSize)
    await transact(ctx, async (txn) => {
      for (const { id: channelId, tenantId, type } of part)
        if (txn.services.connectors.get(type)?.metrics)
          txn.enqueue(pullMetricsJob, { tenantId, payload: { channelId, day } })
    })
    const last = part.at(-1)
    if (!last || part.length < roundSize) return
    after = last.id
  }
}

const today = ({ clock }: Ctx) => dayIn(clock.date(), 'UTC')

/** Of the posts that are asked about on a day. */
const firstInstant = (day: string) => startOfDay(addDays(day, -followedDays), 'UTC')

/**
 * Asks a platform what became of some posts of a channel, and goes on with older ones in a job of its own: the job `publish.metrics`.
 * Where a limit is met it waits; what has not been asked for when the day ends is left to the next day's round. A consent that does not
 * include figures ends the round of its channel only, and is noted for its health.
 * @throws PlatformError `transient` when another try may do
 */
export async function pullMetrics(
  ctx: Ctx,
  { channelId, day, before }: { channelId: string; day: string; before?: string | undefined },
  signal: AbortSignal,
): Promise<void> {
  const connection = await transact(ctx, (txn) => txn.em.findOne(ChannelConnection, { id: channelId }))
  const connector = connection && ctx.services.connectors.get(connection.type)
  if (!connection || !connector?.metrics || connection.status !== 'connected' || today(ctx) !== day) return
  const turn: Turn = { connection, connector, heard: {}, done: before, told: 0, refused: 0 }
  const posts = await postsOf(ctx, { channelId, since: firstInstant(day), before }, turnSize)
  const options = {
    rules: connector.rules,
    signal,
    onLimits: (limits: Turn['heard']) => void Object.assign(turn.heard, limits),
  }
  const wait = waitOf(connection, ctx.clock.now())
  let stopped: PlatformError | undefined =
    wait && new PlatformError('quota', 'A limit is reached', { until: wait })
  try {
    if (!stopped) await withAccess(ctx, channelId, options, (call) => readAll(ctx, turn, call, posts))
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error
    stopped = error
  }
  const { kind, until } = stopped ?? {}
  if (stopped) ctx.log.info('figures of posts were not read', { channelId, kind, message: stopped.message })
  const goesOn = kind === 'quota' ? until !== undefined : !stopped && posts.length === turnSize
  await transact(ctx, async (txn) => {
    const row = await lockConnection(txn, channelId)
    if (row) noteLimits(row, turn.heard)
    // The latest posts tell: those that are older may be refused for reasons of their own.
    if (row && (turn.told > 0 || before === undefined)) noteRefusals(row, turn, txn.clock.date())
    if (!row || !goesOn) return
    txn.enqueue(pullMetricsJob, {
      tenantId: row.tenantId,
      payload: { channelId, day, ...(turn.done !== undefined && { before: turn.done }) },
      ...(until && { runAt: until }),
      // Another job than the one that asks for it, into which it would fold.
      uniqueKey: `${pullMetricsJob.kind}:${channelId}:${turn.done ?? ''}:${until?.getTime() ?? ''}`,
    })
  })
  if (kind === 'transient') throw stopped
}

interface Turn {
  connection: ConnectionRow
  connector: Connector
  /** What the platform has said about its limits meanwhile. */
  heard: Record<string, { left: number; until: Date }>
  /** The last post that was asked about. */
  done: string | undefined
  /** Posts whose figures were told. */
  told: number
  /** Posts whose figures the platform does not permit to be read. */
  refused: number
}

/** One post that is refused among others says nothing of the channel. */
function noteRefusals(row: ConnectionRow, { told, refused }: Turn, now: Date): void {
  if (told > 0) row.figuresRefusedAt = null
  else if (refused > 0) row.figuresRefusedAt = now
}

/** Until when nothing may be asked, where a limit has been met. */
function waitOf({ waitsUntil, limits }: ConnectionRow, now: number): Date | undefined {
  if (waitsUntil && waitsUntil.getTime() > now) return waitsUntil
  const used = Object.entries(limits ?? {}).filter(
    ([name, { left, until }]) => asksWith.has(name) && left <= reserve && until > now,
  )
  return used.length > 0 ? new Date(Math.max(...used.map(([, { until }]) => until))) : undefined
}

/** The limits of platforms that reads spend too, by the names of their connectors. */
const asksWith = new Set(['requests', 'usage'])

async function readAll(
  ctx: Ctx,
  turn: Turn,
  call: PlatformCall,
  posts: Awaited<ReturnType<typeof postsOf>>,
): Promise<void> {
  const { connection, connector, heard } = turn
  const { id: channelId, tenantId } = connection
  for (const { id, externalId, url, accountKey: sentTo } of posts) {
    // Tokens were renewed in the middle: what is known is not asked for again.
    if (turn.done !== undefined && id >= turn.done) continue
    const [limit] = Object.values(heard).filter(({ left }) => left <= reserve)
    if (limit)
      throw new PlatformError('quota', 'The platform allows few requests more', { until: limit.until })
    // An id of another account's is the id of another post.
    if (externalId !== null && (sentTo === null || sentTo === accountKey(call.account))) {
      const figures = await connector.metrics?.(call, { externalId, url }).catch(refused(ctx, turn, id))
      if (turn.told === 0 && turn.refused >= mostRefused)
        throw new PlatformError('policy', 'The platform does not permit figures to be read')
      if (figures && Object.keys(figures).length > 0) {
        turn.told += 1
        await transact(ctx, async (txn) => {
          const row = await lockConnection(txn, channelId)
          const day = today(txn)
          if (row) await recordFigures(txn, { tenantId, publicationId: id, day }, figures)
        })
      }
    }
    turn.done = id
  }
}

/** What a platform says of one post does not keep the others. */
const refused = (ctx: Ctx, turn: Turn, publicationId: string) => (error: unknown) => {
  const kind = error instanceof PlatformError ? error.kind : undefined
  if (!(error instanceof PlatformError) || (kind !== 'validation' && kind !== 'policy')) throw error
  if (kind === 'policy') turn.refused += 1
  ctx.log.info('the figures of a post were refused', { publicationId, message: error.message })
  return null
}
