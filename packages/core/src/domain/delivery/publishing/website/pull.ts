import type { Ctx, Transaction } from '../../../../kernel/context.ts'
import { transact } from '../../../../kernel/transact.ts'
import { withAccess } from '../../../accounts/channels/access.ts'
import { ChannelConnection, type ConnectionRow } from '../../../accounts/channels/entities.ts'
import type { PlatformCall } from '../../../accounts/channels/platform-call.ts'
import { PlatformError } from '../../../accounts/channels/platform-error.ts'
import { accountKey as keyOf } from '../account-key.ts'
import { keepOnlyAccount } from '../accounts.ts'
import { pullWebsiteJob } from '../jobs.ts'
import { lockConnection } from '../lock.ts'
import { pageKey, withoutDoubles } from './figures.ts'
import { connectedSources, lastKnownDay, publishedPages, recordWebsiteDays } from './queries.ts'
import type { WebsiteSource } from './source.ts'

/** Sources that are asked for in one command. */
const roundSize = 500
/** How long the page of a piece is followed, days, and how many pages of a tenant. */
const followedDays = 365
const mostPages = 500

/** Asks for the figures of every website: the job `publish.website.daily`. */
export async function pullWebsites(ctx: Ctx): Promise<void> {
  for (let after = ''; ; ) {
    const part = await connectedSources(ctx, after, roundSize)
    await transact(ctx, async (txn) => {
      for (const one of part) request(txn, one)
    })
    const last = part.at(-1)
    if (!last || part.length < roundSize) return
    after = last.id
  }
}

/** A source was connected, or one of its websites was chosen: it is asked at once, by the job `channel.resume`. */
export async function pullWebsiteOf(ctx: Ctx, { channelId }: { channelId: string }): Promise<void> {
  await transact(ctx, async (txn) => {
    const connection = await txn.em.findOne(ChannelConnection, { id: channelId })
    if (connection && txn.services.websiteSources.has(connection.type)) request(txn, connection)
  })
}

function request(txn: Transaction, { id: channelId, tenantId }: { id: string; tenantId: string }): void {
  const uniqueKey = `${pullWebsiteJob.kind}:${channelId}`
  txn.enqueue(pullWebsiteJob, { tenantId, payload: { channelId }, uniqueKey })
}

/**
 * Asks a source what became of a tenant's website and of the pages of its pieces: the job `publish.website`. What a limit keeps back is
 * asked for with the next day's round, since the days that are known say where to go on.
 * @throws PlatformError `transient` when another try may do
 */
export async function pullWebsite(
  ctx: Ctx,
  { channelId }: { channelId: string },
  signal: AbortSignal,
): Promise<void> {
  const connection = await transact(ctx, (txn) => txn.em.findOne(ChannelConnection, { id: channelId }))
  const source = connection && ctx.services.websiteSources.get(connection.type)
  if (!connection || !source || connection.status !== 'connected') return
  try {
    await withAccess(ctx, channelId, { rules: source.rules, signal }, (call) =>
      pull(ctx, connection, source, call),
    )
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error
    const { kind, message } = error
    ctx.log.info('the figures of a website were not read', { channelId, kind, message })
    if (kind === 'transient') throw error
  }
}

async function pull(
  ctx: Ctx,
  { id: channelId, tenantId, account: known }: ConnectionRow,
  source: WebsiteSource,
  call: PlatformCall,
): Promise<void> {
  const account = known ?? (await keepOnlyAccount(ctx, channelId, await source.accounts(call)))
  // A person has to choose one: the health of the channel says so.
  if (!account) return
  const accountKey = keyOf(account)
  const span = source.due(ctx.clock.date(), await lastKnownDay(ctx, { channelId, accountKey }))
  if (!span) return
  const since = new Date(ctx.clock.now() - followedDays * 86_400_000)
  const pages = new Map<string, string>()
  for (const { id, url } of await publishedPages(ctx, tenantId, since, mostPages)) {
    const page = pageKey(url)
    // Of two pieces at one address the newer one is what people read there.
    if (page !== null && !pages.has(page)) pages.set(page, id)
  }
  const days = withoutDoubles(await source.read({ ...call, account }, span, new Set(pages.keys())))
  await transact(ctx, async (txn) => {
    const row = await lockConnection(txn, channelId)
    // Another website was chosen meanwhile: these are not its figures.
    if (row?.status !== 'connected' || !row.account || keyOf(row.account) !== accountKey) return
    await recordWebsiteDays(txn, { tenantId, channelId, accountKey, span, pages }, days)
  })
}
