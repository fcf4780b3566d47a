import type { Ctx } from '../../../../kernel/context.ts'
import { addDays, dayIn } from '../../../../kernel/periods.ts'
import { transact } from '../../../../kernel/transact.ts'
import { withAccess } from '../../../accounts/channels/access.ts'
import { ChannelConnection, type ConnectionRow } from '../../../accounts/channels/entities.ts'
import type { PlatformCall } from '../../../accounts/channels/platform-call.ts'
import { PlatformError } from '../../../accounts/channels/platform-error.ts'
import { accountKey as keyOf } from '../account-key.ts'
import { keepOnlyAccount } from '../accounts.ts'
import type { Connector } from '../connector.ts'
import { pullAccountJob } from '../jobs.ts'
import { noteLimits } from '../limits.ts'
import { lockConnection } from '../lock.ts'
import { countedChannels, lastAccountDay, recordAccountDays } from './queries.ts'

/** Channels that are asked for in one command. */
const roundSize = 500
/** Days that are asked for at first, and those that are asked for again, because platforms count late and put days right. */
const firstDays = 28
const restatedDays = 7

/** Asks for the figures of every page and place: the job `publish.account.daily`. */
export async function pullAccounts(ctx: Ctx): Promise<void> {
  for (let after = ''; ; ) {
    const part = await countedChannels(ctx, after, roundSize)
    await transact(ctx, async (txn) => {
      for (const { id: channelId, tenantId } of part)
        txn.enqueue(pullAccountJob, {
          tenantId,
          payload: { channelId },
          uniqueKey: `${pullAccountJob.kind}:${channelId}`,
        })
    })
    const last = part.at(-1)
    if (!last || part.length < roundSize) return
    after = last.id
  }
}

/**
 * Asks a platform what became of a channel's account as a whole: the job `publish.account`. What a limit keeps back is asked for with the
 * next day's round, since the days that are known say where to go on.
 * @throws PlatformError `transient` when another try may do
 */
export async function pullAccount(
  ctx: Ctx,
  { channelId }: { channelId: string },
  signal: AbortSignal,
): Promise<void> {
  const connection = await transact(ctx, (txn) => txn.em.findOne(ChannelConnection, { id: channelId }))
  const connector = connection && ctx.services.connectors.get(connection.type)
  if (!connection || !connector?.accountDays || connection.status !== 'connected') return
  if (connection.waitsUntil && connection.waitsUntil > ctx.clock.date()) return
  const heard: Parameters<typeof noteLimits>[1] = {}
  const options = {
    rules: connector.rules,
    signal,
    onLimits: (limits: typeof heard) => void Object.assign(heard, limits),
  }
  try {
    await withAccess(ctx, channelId, options, (call) => pull(ctx, connection, connector, call))
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error
    const { kind, message } = error
    ctx.log.info('the figures of an account were not read', { channelId, kind, message })
    if (kind === 'transient') throw error
  } finally {
    await transact(ctx, async (txn) => {
      const row = await lockConnection(txn, channelId)
      if (row) noteLimits(row, heard)
    })
  }
}

async function pull(
  ctx: Ctx,
  { id: channelId, tenantId, account: known }: ConnectionRow,
  connector: Connector,
  call: PlatformCall,
): Promise<void> {
  const account = known ?? (await keepOnlyAccount(ctx, channelId, (await connector.accounts?.(call)) ?? []))
  // A person has to choose one: the health of the channel says so.
  if (!account) return
  const accountKey = keyOf(account)
  const to = addDays(dayIn(ctx.clock.date(), 'UTC'), -1)
  const last = await lastAccountDay(ctx, { channelId, accountKey })
  const first = addDays(to, 1 - firstDays)
  const from = last === null || last < first ? first : addDays(last < to ? last : to, 1 - restatedDays)
  const span = { from: from < first ? first : from, to }
  const days = (await connector.accountDays?.({ ...call, account }, span)) ?? []
  const asked = days.filter(({ day }) => day >= span.from && day <= span.to)
  await transact(ctx, async (txn) => {
    const row = await lockConnection(txn, channelId)
    // Another account was chosen meanwhile: these are not its figures.
    if (row?.status !== 'connected' || !row.account || keyOf(row.account) !== accountKey) return
    await recordAccountDays(txn, { tenantId, channelId, accountKey }, asked)
  })
}
