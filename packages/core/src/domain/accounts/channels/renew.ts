import { LockMode } from '@mikro-orm/core'
import type { Ctx } from '../../../kernel/context.ts'
import { transact } from '../../../kernel/transact.ts'
import { extendToken, refreshTokens } from '../../../platform/oauth/client.ts'
import { OAuthError, type OAuthTokens } from '../../../platform/oauth/oauth.ts'
import { ChannelConnection, type ConnectionRow } from './entities.ts'
import { giveBack } from './give-back.ts'
import { grantDied } from './grant-died.ts'
import { endOf } from './keep.ts'
import { createCall } from './platform-call.ts'
import { PlatformError } from './platform-error.ts'
import { type ChannelSecrets, decryptSecrets, encryptSecrets, withProvider } from './provider.ts'
import { endingConnections } from './queries.ts'

/** How long one process may take to renew tokens; a request to a provider takes less. */
const leaseMs = 60_000
/** How often others look whether it has. */
const lookMs = 200

/**
 * Renews the tokens of a connection. Of all processes one asks the provider, since a refresh token may be good for one use; the
 * others wait for what it brings. A new pair is written before it is used.
 * @param seen as the caller has read it
 * @throws PlatformError `auth` when the grant is dead, which disconnects the channel; `transient` for everything else
 */
export async function renewConnection(ctx: Ctx, seen: ConnectionRow): Promise<ConnectionRow> {
  const me = ctx.newId()
  const giveUpAt = ctx.clock.now() + 2 * leaseMs
  for (;;) {
    const found = await takeLease(ctx, seen, me)
    if (found !== 'busy') return found === 'mine' ? connected(await askProvider(ctx, seen, me)) : found
    if (ctx.clock.now() >= giveUpAt) throw new PlatformError('transient', 'The consent is being renewed')
    await pause(ctx)
  }
}

const pause = ({ clock }: Ctx) => new Promise<void>((resolve) => void clock.after(lookMs, resolve))

/** A person may have disconnected it while its provider was asked. @throws PlatformError `auth` */
function connected(connection: ConnectionRow): ConnectionRow {
  if (connection.status === 'connected') return connection
  throw new PlatformError('auth', 'The channel is not connected')
}

/** @returns the connection, when someone has renewed it since it was read */
function takeLease(ctx: Ctx, { id, tokensSealed }: ConnectionRow, me: string) {
  return transact(ctx, async (txn) => {
    const lockMode = LockMode.PESSIMISTIC_WRITE
    const row = await txn.em.findOne(ChannelConnection, { id }, { lockMode })
    if (!row) throw new PlatformError('auth', 'The channel is not connected')
    if (connected(row).tokensSealed !== tokensSealed) return row
    const now = txn.clock.now()
    if (row.refreshingUntil && row.refreshingUntil.getTime() > now) return 'busy' as const
    Object.assign(row, { refreshingBy: me, refreshingUntil: new Date(now + leaseMs) })
    return 'mine' as const
  })
}

async function askProvider(ctx: Ctx, seen: ConnectionRow, me: string): Promise<ConnectionRow> {
  const leaseEnds = ctx.clock.now() + leaseMs
  try {
    return await writeBefore(ctx, leaseEnds, seen, await freshSecrets(ctx, seen))
  } catch (error) {
    if (!(error instanceof OAuthError || error instanceof PlatformError)) throw error
    const isDead = error instanceof PlatformError ? error.kind === 'auth' : error.code === 'invalid_grant'
    // Before the lease ends: another process would take it, and ask with what is dead again.
    const died = isDead && (await grantDied(ctx, seen, error.message))
    const now = await release(ctx, seen, me)
    if (died && now.status !== 'connected') throw died
    // Whatever is said of the old one: there is a newer one.
    if (now.tokensSealed !== seen.tokensSealed) return now
    throw new PlatformError('transient', `The consent could not be renewed: ${error.message}`, {
      cause: error,
    })
  }
}

/**
 * The three ways of renewing: a session of the connector's own; a longer life for an access token that is still good; and a refresh
 * token, which may be good for one use.
 */
async function freshSecrets(ctx: Ctx, connection: ConnectionRow): Promise<FreshSecrets> {
  const { tenantId, type, tokensSealed, account } = connection
  const { encryptor, channels, channelAuth } = ctx.services
  const secrets = decryptSecrets(encryptor, tokensSealed ?? '', tenantId)
  if (connection.auth === 'credentials') {
    const auth = channelAuth(type)
    if (!auth?.renew) throw new PlatformError('auth', 'The session has ended')
    return auth.renew(createCall(ctx, { type, secrets, account: account ?? {}, rules: auth.rules }))
  }
  const client = channels.client(type)
  const { accessToken = '', refreshToken } = secrets
  const extension = client?.extension
  if (client && extension)
    return withProvider(ctx, (port) => extendToken(client, extension, port, accessToken))
  if (!client || refreshToken === undefined) throw new OAuthError('No client is set up any more')
  return withProvider(ctx, (port) => refreshTokens(client, port, refreshToken))
}
type FreshSecrets = ChannelSecrets & Pick<OAuthTokens, 'expiresIn'>

/** Tries again while the database fails: the pair of before may be dead, and the new one is nowhere else. */
async function writeBefore(
  ctx: Ctx,
  leaseEnds: number,
  seen: ConnectionRow,
  secrets: FreshSecrets,
): Promise<ConnectionRow> {
  for (;;) {
    try {
      return await write(ctx, seen, secrets)
    } catch (error) {
      if (ctx.clock.now() + lookMs >= leaseEnds) throw error
      ctx.log.warn('a renewed consent could not be kept; it is tried again', { type: seen.type, error })
    }
    await pause(ctx)
  }
}

function write(
  ctx: Ctx,
  { id, tenantId, tokensSealed }: ConnectionRow,
  { expiresIn, ...secrets }: FreshSecrets,
): Promise<ConnectionRow> {
  return transact(ctx, async (txn) => {
    const lockMode = LockMode.PESSIMISTIC_WRITE
    const row = await txn.em.findOneOrFail(ChannelConnection, { id }, { lockMode })
    const { encryptor } = txn.services
    // A provider that names no new refresh token means the one that we have.
    const kept = { ...decryptSecrets(encryptor, tokensSealed ?? '', tenantId), ...secrets }
    const sealed = encryptSecrets(encryptor, kept, tenantId)
    if (row.tokensSealed !== tokensSealed) {
      // What was given back is the pair of before; nobody has a use for this one.
      if (row.status === 'disconnected') giveBack(txn, row, sealed)
      return row
    }
    const now = txn.clock.date()
    return Object.assign(row, {
      tokensSealed: sealed,
      expiresAt: endOf({ expiresIn }, now),
      refreshingBy: null,
      refreshingUntil: null,
      lastCheckedAt: now,
      updatedOn: now,
    })
  })
}

function release(ctx: Ctx, { id }: ConnectionRow, me: string): Promise<ConnectionRow> {
  return transact(ctx, async (txn) => {
    const lockMode = LockMode.PESSIMISTIC_WRITE
    const row = await txn.em.findOneOrFail(ChannelConnection, { id }, { lockMode })
    if (row.refreshingBy === me) Object.assign(row, { refreshingBy: null, refreshingUntil: null })
    return row
  })
}

/** How long before its end an access token is given a longer life, milliseconds. */
export const extendMs = 30 * 86_400_000

/**
 * A connection whose access token ends in some weeks gets one that lasts longer; one that does not get it stays as it is.
 * @throws PlatformError `auth` when the grant is dead, which disconnects the channel
 */
export async function extendConnection(ctx: Ctx, seen: ConnectionRow): Promise<ConnectionRow> {
  const { auth, type, expiresAt } = seen
  const now = ctx.clock.now()
  const ends = expiresAt?.getTime() ?? Number.POSITIVE_INFINITY
  const isSoon = ends > now && ends < now + extendMs
  if (auth !== 'oauth' || !isSoon || !ctx.services.channels.client(type)?.extension) return seen
  try {
    return await renewConnection(ctx, seen)
  } catch (error) {
    if (!(error instanceof PlatformError) || error.kind === 'auth') throw error
    ctx.log.warn('a token could not be given a longer life', { type, why: error.message })
    return seen
  }
}

/** Extends what ends soon, once a day, for those that publish seldom: the job `channel.extend`. */
export async function extendConnections(ctx: Ctx): Promise<void> {
  const now = ctx.clock.date()
  for (const id of await endingConnections(ctx, now, new Date(now.getTime() + extendMs))) {
    const row = await transact(ctx, (txn) => txn.em.findOne(ChannelConnection, { id }))
    if (row?.status !== 'connected') continue
    await extendConnection(ctx, row).catch((error: unknown) => {
      // It was disconnected, with a notice.
      if (!(error instanceof PlatformError)) throw error
    })
  }
}
