import { LockMode } from '@mikro-orm/core'
import type { Ctx, Transaction } from '../../../kernel/context.ts'
import { DomainError, invalid } from '../../../kernel/errors.ts'
import { transact } from '../../../kernel/transact.ts'
import { sha256Hex } from '../../../platform/crypto/hash.ts'
import type { OAuthTokens } from '../../../platform/oauth/oauth.ts'
import { User } from '../identity/entities.ts'
import { accountById } from '../identity/queries.ts'
import { actingAs, activeTenant } from '../identity/sessions.ts'
import { lockTenant } from '../tenants/status.ts'
import { ChannelConnection, type ChannelType, ConnectAttempt } from './entities.ts'
import { channelConnected } from './events.ts'
import { encryptTokens, openConnection, whyOf } from './provider.ts'
import { attemptByState } from './queries.ts'
import type { CallbackQuery } from './schemas.ts'

/**
 * Takes a person back from a provider: the state counts once, its code is exchanged for tokens, and these are kept for the
 * tenant. Serves `GET /auth/v1/oauth/callback/:platform`.
 * @returns where the person goes: the URL of the attempt, with `state` and `status`, which is `error` when the person or
 *   the provider refused, or the provider failed; then nothing is kept
 * @throws DomainError `VALIDATION_ERROR` on `state`, in the same words whatever is wrong with it, and on `code`; `FORBIDDEN`
 *   when the person or the tenant has been shut out meanwhile
 */
export async function finishConnect(
  ctx: Ctx,
  platform: ChannelType,
  { state, code, error: refusal }: CallbackQuery,
): Promise<string> {
  const owner = await attemptByState(ctx.sql, platform, sha256Hex(state), ctx.clock.date())
  const account = owner && (await accountById(ctx.sql, owner.userId))
  if (!owner || !account) throw worthless()
  if (code === undefined && refusal === undefined) throw invalid('code', 'Is required')
  const acting: Ctx = { ...actingAs(ctx, account), scope: [owner.tenantId] }
  const attempt = await take(acting, owner.id)
  const back = (status: 'connected' | 'error') => {
    const url = new URL(attempt.redirectUrl)
    url.searchParams.set('state', state)
    url.searchParams.set('status', status)
    return url.href
  }
  if (code === undefined || refusal !== undefined) {
    ctx.log.info('a channel was not connected: refused at the provider', { type: platform })
    return back('error')
  }
  const opened = await open(acting, platform, code, attempt.verifierSealed)
  if (!opened) return back('error')
  await keep(acting, platform, opened)
  return back('connected')
}

const worthless = () => invalid('state', 'The state is unknown, used or expired: connect the channel again')

/** Uses an attempt up. Of two callbacks with one state, the second waits here and finds nothing. */
function take(ctx: Ctx, id: string) {
  return transact(ctx, async (txn) => {
    const lock = { lockMode: LockMode.PESSIMISTIC_WRITE } as const
    const attempt = await txn.em.findOne(ConnectAttempt, { id }, lock)
    if (!attempt || attempt.expiresAt.getTime() <= txn.clock.now()) throw worthless()
    await requireConnector(txn, attempt.tenantId)
    txn.em.remove(attempt)
    const { redirectUrl, verifierSealed } = attempt
    return { redirectUrl, verifierSealed }
  })
}

/** @throws DomainError `FORBIDDEN` when the actor may not connect channels of the tenant, or not any more */
async function requireConnector(txn: Transaction, tenantId: string): Promise<void> {
  const user = await txn.em.findOne(User, { id: txn.actor.id })
  if (user?.status !== 'active')
    throw new DomainError('FORBIDDEN', `The account is ${user?.status ?? 'gone'}`)
  if (user.tenantId !== tenantId || !user.appAccess.includes('dashboard'))
    throw new DomainError('FORBIDDEN', 'The account has no access to this tenant any more')
  await activeTenant(txn, tenantId)
}

type Opened = Awaited<ReturnType<typeof openConnection>>

/** @returns undefined, with a line in the log, when nothing came of it */
async function open(
  ctx: Ctx,
  type: ChannelType,
  code: string,
  verifierSealed: string,
): Promise<Opened | undefined> {
  const client = ctx.services.channels.client(type)
  const verifier = ctx.services.encryptor.decrypt(verifierSealed, ctx.actor.tenantId ?? '')
  try {
    if (!client) throw new DomainError('UNPROCESSABLE', 'No client is set up any more')
    return await openConnection(ctx, type, client, { code, verifier })
  } catch (error) {
    ctx.log.warn('a channel could not be connected', {
      type,
      tenantId: ctx.actor.tenantId,
      why: whyOf(error),
    })
    return undefined
  }
}

function keep(ctx: Ctx, type: ChannelType, { tokens, accountName }: Opened): Promise<void> {
  return transact(ctx, async (txn) => {
    const tenantId = ctx.actor.tenantId ?? ''
    // Two people who connect one type at once come one after the other.
    await lockTenant(txn, tenantId)
    await requireConnector(txn, tenantId)
    const before = await txn.em.findOne(ChannelConnection, { tenantId, type })
    const was = before && { status: before.status, accountName: before.accountName }
    const now = txn.clock.date()
    const fields = {
      status: 'connected' as const,
      accountName,
      tokensSealed: encryptTokens(txn.services.encryptor, tokens, tenantId),
      expiresAt: endOf(tokens, now),
      renewable: tokens.refreshToken !== undefined,
      lastCheckedAt: now,
      connectedAt: now,
      connectedBy: txn.actor.id,
      updatedOn: now,
    }
    const id = before?.id ?? txn.newId()
    if (before) Object.assign(before, fields)
    else txn.em.create(ChannelConnection, { id, tenantId, type, createdOn: now, ...fields })
    txn.audit({
      tenantId,
      resourceType: 'channel',
      resourceId: id,
      before: was,
      after: { type, status: 'connected', accountName },
    })
    txn.emit(channelConnected, { tenantId, subject: id, data: { channelId: id, channelType: type } })
  })
}

function endOf({ expiresIn }: OAuthTokens, now: Date): Date | null {
  return expiresIn === undefined ? null : new Date(now.getTime() + Math.min(expiresIn, longestS) * 1_000)
}

/** A hundred years, in seconds: a provider that says more means for ever, and dates end somewhere. */
const longestS = 3_155_760_000
