import type { Ctx } from '../../../kernel/context.ts'
import { transact } from '../../../kernel/transact.ts'
import { ChannelConnection, type ConnectionRow } from './entities.ts'
import { grantDied } from './grant-died.ts'
import { type CallOptions, createCall, type PlatformCall } from './platform-call.ts'
import { PlatformError } from './platform-error.ts'
import { decryptSecrets } from './provider.ts'
import { extendConnection, renewConnection } from './renew.ts'

/** Tokens that end as soon as this, milliseconds, are renewed first: a request takes a while. */
const marginMs = 30_000

export type AccessOptions = Pick<CallOptions, 'rules' | 'signal' | 'before' | 'onRefused' | 'onLimits'>

/**
 * Works with a channel's account: with tokens that are good, renewed where it must be. A grant that turns out to be dead
 * disconnects the channel; nothing else does.
 * @param work is done again, once, when the platform refuses tokens that could be renewed
 * @throws PlatformError `auth` when the channel is not connected, or not any more
 */
export async function withAccess<T>(
  ctx: Ctx,
  channelId: string,
  options: AccessOptions,
  work: (call: PlatformCall) => Promise<T>,
): Promise<T> {
  let connection = await connectionOf(ctx, channelId)
  connection = isOver(connection, ctx.clock.now() + marginMs)
    ? await renewConnection(ctx, connection)
    : await extendConnection(ctx, connection)
  try {
    return await work(callFor(ctx, connection, options))
  } catch (error) {
    if (!(error instanceof PlatformError) || error.kind !== 'auth') throw error
    const before = connection
    connection = await connectionOf(ctx, channelId)
    // Another process may have renewed them meanwhile.
    if (connection.tokensSealed === before.tokensSealed) {
      if (!connection.renewable) throw await grantDied(ctx, connection, error.message)
      connection = await renewConnection(ctx, connection)
    }
    try {
      return await work(callFor(ctx, connection, options))
    } catch (again) {
      const isDead = again instanceof PlatformError && again.kind === 'auth'
      throw isDead ? await grantDied(ctx, connection, again.message) : again
    }
  }
}

function isOver({ expiresAt, renewable }: ConnectionRow, at: number): boolean {
  return renewable && expiresAt !== null && expiresAt.getTime() <= at
}

function callFor(ctx: Ctx, connection: ConnectionRow, options: AccessOptions): PlatformCall {
  const { tenantId, type, tokensSealed, account } = connection
  const secrets = decryptSecrets(ctx.services.encryptor, tokensSealed ?? '', tenantId)
  return createCall(ctx, { ...options, type, secrets, account: account ?? {} })
}

async function connectionOf(ctx: Ctx, id: string): Promise<ConnectionRow> {
  const found = await transact(ctx, (txn) => txn.em.findOne(ChannelConnection, { id }))
  if (found?.status === 'connected' && found.tokensSealed !== null) return found
  throw new PlatformError('auth', 'The channel is not connected')
}
