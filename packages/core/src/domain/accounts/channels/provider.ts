import type { Ctx } from '../../../kernel/context.ts'
import type { Encryptor } from '../../../platform/crypto/encryptor.ts'
import { exchangeCode } from '../../../platform/oauth/client.ts'
import { OAuthError, type OAuthPort, type OAuthTokens } from '../../../platform/oauth/oauth.ts'
import type { ChannelClient } from './clients.ts'
import type { ChannelType } from './entities.ts'

/** How long a provider is waited for; a person stands in front of the browser. */
const waitMs = 15_000

/** Where a provider sends people back to; operators register it with the provider. */
export const callbackUrl = (baseUrl: string, type: ChannelType | '<type>') =>
  `${baseUrl}/auth/v1/oauth/callback/${type}`

/**
 * Runs an exchange with a provider, and ends it when the provider lets us wait.
 * @param signal ends it too
 * @throws OAuthError
 */
export async function withProvider<T>(
  ctx: Ctx,
  work: (port: OAuthPort) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  const late = new AbortController()
  const stop = ctx.clock.after(waitMs, () =>
    late.abort(new OAuthError('The provider did not answer in time')),
  )
  const signals = signal ? [late.signal, signal] : [late.signal]
  try {
    return await work({ fetch: ctx.services.http.guardedFetch, signal: AbortSignal.any(signals) })
  } finally {
    stop()
  }
}

/**
 * The tokens for the code of a callback, and the name of the account that they are for, where it can be learnt.
 * @throws OAuthError when the provider refuses, fails or does not answer
 */
export async function openConnection(
  ctx: Ctx,
  type: ChannelType,
  client: ChannelClient,
  { code, verifier }: { code: string; verifier: string },
): Promise<{ tokens: OAuthTokens; accountName: string | null }> {
  const redirectUri = callbackUrl(ctx.services.settings.baseUrl, type)
  const tokens = await withProvider(ctx, (port) =>
    exchangeCode(client, port, { redirectUri, code, verifier }),
  )
  const accountName = await withProvider(ctx, (port) => readAccount(client, port, tokens.accessToken)).catch(
    (error: unknown) => {
      ctx.log.warn('the name of a connected account could not be learnt', { type, why: whyOf(error) })
      return null
    },
  )
  return { tokens, accountName }
}

/** What may be logged of a failure. */
export const whyOf = (error: unknown): string =>
  error instanceof OAuthError ? error.message : (error as Error).name

async function readAccount(
  { account }: ChannelClient,
  { fetch, signal }: OAuthPort,
  accessToken: string,
): Promise<string | null> {
  if (!account) return null
  const headers = {
    accept: 'application/json',
    authorization: `${account.scheme ?? 'Bearer'} ${accessToken}`,
  }
  const response = await fetch(account.url, { headers, redirect: 'error', signal })
  if (!response.ok) {
    await response.body?.cancel()
    throw new OAuthError(`The provider answered ${response.status}`, response)
  }
  let value: unknown = await response.json()
  for (const name of account.field.split('.')) value = (value as Record<string, unknown> | null)?.[name]
  if (typeof value !== 'string') return null
  // Someone else's words on our pages: one line of bounded length.
  return (
    value
      .replace(/[\p{C}\s]+/gu, ' ')
      .trim()
      .slice(0, 200)
      .toWellFormed() || null
  )
}

/** What is kept of the tokens of a connection, beside when they end. */
export type KeptTokens = Pick<OAuthTokens, 'accessToken' | 'refreshToken'>

/** @returns both tokens as one text that opens for this tenant only */
export function encryptTokens(
  encryptor: Encryptor,
  { accessToken, refreshToken }: KeptTokens,
  tenantId: string,
): string {
  return encryptor.encrypt(JSON.stringify({ accessToken, refreshToken }), tenantId)
}

/** @throws BoxError when the text is not of this tenant */
export function decryptTokens(encryptor: Encryptor, sealed: string, tenantId: string): KeptTokens {
  return JSON.parse(encryptor.decrypt(sealed, tenantId)) as KeptTokens
}
