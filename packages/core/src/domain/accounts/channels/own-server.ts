import type { Ctx } from '../../../kernel/context.ts'
import { DomainError, invalid } from '../../../kernel/errors.ts'
import { type ChannelAccount, type ChannelType, channelNames } from './entities.ts'
import type { OpenedAccount } from './keep.ts'
import { createCall, type PlatformCall } from './platform-call.ts'
import { PlatformError } from './platform-error.ts'
import type { ChannelAuth } from './ports.ts'
import type { ChannelSecrets } from './provider.ts'
import type { CallbackQuery } from './schemas.ts'

/** A call with what a person has given so far, before there is a connection. */
export function callBefore(
  ctx: Ctx,
  type: ChannelType,
  { rules }: ChannelAuth,
  given: { secrets: ChannelSecrets; server: string | undefined },
): PlatformCall {
  const account: ChannelAccount =
    given.server === undefined ? {} : { server: given.server.replace(/\/+$/, '') }
  return createCall(ctx, { type, secrets: given.secrets, account, rules })
}

/**
 * Asks a server of the person's own where they agree.
 * @throws DomainError `VALIDATION_ERROR` on `server` where this type has none of one's own, `UNPROCESSABLE` when it cannot do it
 */
export async function beginOnServer(
  ctx: Ctx,
  type: ChannelType,
  { server, redirectUri, state }: { server: string; redirectUri: string; state: string },
): Promise<{ url: string; kept: string }> {
  const auth = ctx.services.channelAuth(type)
  if (!auth?.consent) throw invalid('server', `${channelNames[type]} is not asked on a server of one’s own`)
  const back = (extra: Record<string, string>) => {
    const url = new URL(redirectUri)
    for (const [name, value] of Object.entries({ state, ...extra })) url.searchParams.set(name, value)
    return url.href
  }
  const call = callBefore(ctx, type, auth, { secrets: {}, server })
  const to = { server, callback: back({}), refused: back({ error: 'access_denied' }), state }
  const { url, memory } = await orUnprocessable(() => auth.consent?.begin(call, to) as Promise<Begun>)
  return { url, kept: JSON.stringify(memory) }
}
type Begun = Awaited<ReturnType<NonNullable<ChannelAuth['consent']>['begin']>>

/** Opens an account with what a person has brought back from their own server. @throws PlatformError */
export async function openOnServer(
  ctx: Ctx,
  type: ChannelType,
  { code, site_url: siteUrl, user_login: userLogin, password }: Omit<CallbackQuery, 'state' | 'error'>,
  { server, memory }: { server: string; memory: string },
): Promise<OpenedAccount> {
  const auth = ctx.services.channelAuth(type)
  const call = auth && callBefore(ctx, type, auth, { secrets: {}, server })
  const answer = { code, siteUrl, userLogin, password }
  const from = { memory: JSON.parse(memory) as Record<string, string>, answer }
  const secrets = call && (await auth.consent?.finish(call, from))
  if (!auth || !secrets) throw new PlatformError('auth', 'What came back is no consent')
  const verified = await auth.verify(callBefore(ctx, type, auth, { secrets, server }))
  return { auth: 'credentials', secrets, ...verified }
}

/** What a platform refuses is told to who has asked. @throws DomainError `UNPROCESSABLE` */
export async function orUnprocessable<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error
    const { kind, message } = error
    throw new DomainError('UNPROCESSABLE', message, { details: { reason: kind }, cause: error })
  }
}
