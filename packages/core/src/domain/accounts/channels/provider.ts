import type { Ctx } from '../../../kernel/context.ts'
import type { Encryptor } from '../../../platform/crypto/encryptor.ts'
import { exchangeCode, extendToken } from '../../../platform/oauth/client.ts'
import { OAuthError, type OAuthPort, type OAuthTokens } from '../../../platform/oauth/oauth.ts'
import type { ChannelClient } from './clients.ts'
import type { ChannelType } from './entities.ts'
import { PlatformError } from './platform-error.ts'

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
  const first = await withProvider(ctx, (port) => exchangeCode(client, port, { redirectUri, code, verifier }))
  const { extension } = client
  const tokens = extension
    ? await withProvider(ctx, (port) => extendToken(client, extension, port, first.accessToken))
    : first
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
  error instanceof OAuthError || error instanceof PlatformError ? error.message : (error as Error).name

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

/** What opens an account: the tokens of a consent, or what a person has pasted. */
export type ChannelSecrets = Partial<Pick<OAuthTokens, 'accessToken' | 'refreshToken'>> & {
  username?: string
  /** An application password, a key, or whatever the platform calls it. */
  secret?: string
}

/** @returns all secrets of an account as one text that opens for this tenant only */
export function encryptSecrets(encryptor: Encryptor, secrets: ChannelSecrets, tenantId: string): string {
  const { accessToken, refreshToken, username, secret } = secrets
  return encryptor.encrypt(JSON.stringify({ accessToken, refreshToken, username, secret }), tenantId)
}

/** @throws BoxError when the text is not of this tenant */
export function decryptSecrets(encryptor: Encryptor, sealed: string, tenantId: string): ChannelSecrets {
  return JSON.parse(encryptor.decrypt(sealed, tenantId)) as ChannelSecrets
}
