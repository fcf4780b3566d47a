import { LockMode } from '@mikro-orm/core'
import type { Ctx, Transaction } from '../../../kernel/context.ts'
import { DomainError, invalid } from '../../../kernel/errors.ts'
import { transact } from '../../../kernel/transact.ts'
import { sha256Hex } from '../../../platform/crypto/hash.ts'
import { User } from '../identity/entities.ts'
import { accountById } from '../identity/queries.ts'
import { actingAs, activeTenant } from '../identity/sessions.ts'
import { type ChannelType, ConnectAttempt } from './entities.ts'
import { keepConnection, type OpenedAccount } from './keep.ts'
import { openOnServer } from './own-server.ts'
import { openConnection, whyOf } from './provider.ts'
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
  { state, error: refusal, ...answer }: CallbackQuery,
): Promise<string> {
  const owner = await attemptByState(ctx.sql, platform, sha256Hex(state), ctx.clock.date())
  const account = owner && (await accountById(ctx.sql, owner.userId))
  if (!owner || !account) throw worthless()
  const isEmpty = answer.code === undefined && answer.password === undefined
  if (isEmpty && refusal === undefined) throw invalid('code', 'Is required')
  const acting: Ctx = { ...actingAs(ctx, account), scope: [owner.tenantId] }
  const attempt = await take(acting, owner.id)
  const back = (status: 'connected' | 'error') => {
    const url = new URL(attempt.redirectUrl)
    url.searchParams.set('state', state)
    url.searchParams.set('status', status)
    return url.href
  }
  if (isEmpty || refusal !== undefined) {
    ctx.log.info('a channel was not connected: refused at the provider', { type: platform })
    return back('error')
  }
  const opened = await open(acting, platform, answer, attempt)
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
    const { redirectUrl, verifierSealed, server } = attempt
    return { redirectUrl, verifierSealed, server }
  })
}
type Attempt = Awaited<ReturnType<typeof take>>

/** @throws DomainError `FORBIDDEN` when the actor may not connect channels of the tenant, or not any more */
async function requireConnector(txn: Transaction, tenantId: string): Promise<void> {
  const user = await txn.em.findOne(User, { id: txn.actor.id })
  if (user?.status !== 'active')
    throw new DomainError('FORBIDDEN', `The account is ${user?.status ?? 'gone'}`)
  if (user.tenantId !== tenantId || !user.appAccess.includes('dashboard'))
    throw new DomainError('FORBIDDEN', 'The account has no access to this tenant any more')
  await activeTenant(txn, tenantId)
}

/** What comes back with a person, without its state. */
type Answer = Omit<CallbackQuery, 'state' | 'error'>

/** @returns undefined, with a line in the log, when nothing came of it */
async function open(
  ctx: Ctx,
  type: ChannelType,
  answer: Answer,
  attempt: Attempt,
): Promise<OpenedAccount | undefined> {
  const kept = ctx.services.encryptor.decrypt(attempt.verifierSealed, ctx.actor.tenantId ?? '')
  try {
    return attempt.server === null
      ? await openAtProvider(ctx, type, answer.code, kept)
      : await openOnServer(ctx, type, answer, { server: attempt.server, memory: kept })
  } catch (error) {
    ctx.log.warn('a channel could not be connected', {
      type,
      tenantId: ctx.actor.tenantId,
      why: whyOf(error),
    })
    return undefined
  }
}

async function openAtProvider(
  ctx: Ctx,
  type: ChannelType,
  code: string | undefined,
  verifier: string,
): Promise<OpenedAccount> {
  const client = ctx.services.channels.client(type)
  if (!client) throw new DomainError('UNPROCESSABLE', 'No client is set up any more')
  if (code === undefined) throw invalid('code', 'Is required')
  const { tokens, accountName } = await openConnection(ctx, type, client, { code, verifier })
  const { expiresIn, ...secrets } = tokens
  return { auth: 'oauth', secrets, expiresIn, accountName, account: null }
}

function keep(ctx: Ctx, type: ChannelType, opened: OpenedAccount): Promise<void> {
  return transact(ctx, async (txn) => {
    const tenantId = ctx.actor.tenantId ?? ''
    await requireConnector(txn, tenantId)
    await keepConnection(txn, { tenantId, type }, opened)
  })
}
