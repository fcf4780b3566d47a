import { randomToken } from '../crypto/hash.ts'
import { OutboundError } from '../http/outbound-error.ts'
import {
  type AuthorizationRequest,
  OAuthError,
  type OAuthPort,
  type OAuthServer,
  type OAuthTokens,
  type TokenExtension,
} from './oauth.ts'

/** A token is an opaque text of the provider's; what is longer than this is none. */
const longestToken = 16_384

// A library that an installation without channels never needs.
const library = () => import('openid-client')

/** Where a person is sent to be asked, and what proves later that it was we who sent them. */
export async function requestAuthorization(
  server: OAuthServer,
  { redirectUri, state }: { redirectUri: string; state: string },
): Promise<AuthorizationRequest> {
  const { buildAuthorizationUrl, calculatePKCECodeChallenge } = await library()
  const verifier = server.pkce ? randomToken(48) : ''
  const { clientIdName, clientId, scopes, scopeSeparator } = server
  const url = buildAuthorizationUrl(await configure(server), {
    ...server.parameters,
    ...(clientIdName !== 'client_id' && { [clientIdName]: clientId }),
    ...(scopes.length > 0 && { scope: scopes.join(scopeSeparator) }),
    ...(verifier !== '' && {
      code_challenge: await calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    }),
    redirect_uri: redirectUri,
    state,
  })
  return { url: url.href, verifier }
}

/**
 * Exchanges the code of a callback for tokens.
 * @param redirectUri the same as in the request
 * @throws OAuthError when the provider refuses, fails, or answers with something else
 */
export async function exchangeCode(
  server: OAuthServer,
  port: OAuthPort,
  { redirectUri, code, verifier }: { redirectUri: string; code: string; verifier: string },
): Promise<OAuthTokens> {
  const { authorizationCodeGrant } = await library()
  // The state was ours to check, and is checked; an issuer is not asked for, because each provider has a callback of its own.
  const callback = new URL(redirectUri)
  callback.searchParams.set('code', code)
  const config = await configure(server, {
    ...port,
    fetch: async (...request) => plainTokenAnswer(await port.fetch(...request)),
  })
  const checks = verifier === '' ? {} : { pkceCodeVerifier: verifier }
  return toTokens(await orOAuthError(() => authorizationCodeGrant(config, callback, checks)))
}

/**
 * Exchanges a refresh token for new tokens. Where the answer names no refresh token, the one that was sent stays good.
 * @throws OAuthError when the provider refuses, fails, or answers with something else
 */
export async function refreshTokens(
  server: OAuthServer,
  port: OAuthPort,
  refreshToken: string,
): Promise<OAuthTokens> {
  const { refreshTokenGrant } = await library()
  const config = await configure(server, {
    ...port,
    fetch: async (...request) => plainTokenAnswer(await port.fetch(...request)),
  })
  return toTokens(await orOAuthError(() => refreshTokenGrant(config, refreshToken)))
}

/**
 * Exchanges an access token for one that lasts longer.
 * @throws OAuthError when the provider refuses (`invalid_grant` for a token that is not good any more), fails, or answers with something else
 */
export async function extendToken(
  { tokenUrl, clientId, clientSecret }: OAuthServer,
  { grantType, tokenName, lifeS }: TokenExtension,
  { fetch, signal }: OAuthPort,
  accessToken: string,
): Promise<OAuthTokens> {
  const url = new URL(tokenUrl)
  const asked = {
    grant_type: grantType,
    client_id: clientId,
    client_secret: clientSecret,
    [tokenName]: accessToken,
  }
  for (const [name, value] of Object.entries(asked)) url.searchParams.set(name, value)
  return orOAuthError(async () => {
    const response = await fetch(url, {
      headers: { accept: 'application/json' },
      redirect: 'error',
      signal,
    })
    const body: unknown = await response.json().catch(() => undefined)
    const { access_token: token, expires_in: expiresIn, error } = (body ?? {}) as Extended
    if (!response.ok) throw refusal(response.status, error?.code === 190 ? 'invalid_grant' : undefined)
    if (typeof token !== 'string')
      throw new OAuthError('The provider answered with something that is not OAuth')
    return toTokens({ access_token: token, expires_in: typeof expiresIn === 'number' ? expiresIn : lifeS })
  })
}

interface Extended {
  access_token?: unknown
  expires_in?: unknown
  error?: { code?: unknown }
}

interface TokenAnswer {
  access_token: string
  refresh_token?: string
  expires_in?: number
}

function toTokens(answer: TokenAnswer): OAuthTokens {
  const { access_token: accessToken, refresh_token: refreshToken, expires_in: expiresIn } = answer
  if (Math.max(accessToken.length, refreshToken?.length ?? 0) > longestToken)
    throw new OAuthError('The provider answered with a token that is too long')
  return { accessToken, ...(refreshToken && { refreshToken }), ...(expiresIn && { expiresIn }) }
}

/**
 * Gives a token back to its provider. One that is not good any more counts as given back.
 * @throws OAuthError when the provider refuses, fails or does not answer
 */
export async function revokeToken(
  server: OAuthServer,
  port: OAuthPort,
  { token, hint }: { token: string; hint: 'access_token' | 'refresh_token' },
): Promise<void> {
  const { tokenRevocation } = await library()
  const config = await configure(server, port)
  try {
    await orOAuthError(() => tokenRevocation(config, token, { token_type_hint: hint }))
  } catch (error) {
    // RFC 7009 answers 200 here; some do not.
    if ((error as OAuthError).code !== 'invalid_token') throw error
  }
}

async function configure(server: OAuthServer, port?: OAuthPort) {
  const oauth = await library()
  const { clientId, clientSecret, clientIdName, authorizeUrl, tokenUrl, revokeUrl } = server
  const metadata = {
    issuer: new URL(authorizeUrl).origin,
    authorization_endpoint: authorizeUrl,
    token_endpoint: tokenUrl,
    ...(revokeUrl && { revocation_endpoint: revokeUrl }),
  }
  const config = new oauth.Configuration(metadata, clientId, undefined, (_server, _client, body) => {
    body.set(clientIdName, clientId)
    body.set('client_secret', clientSecret)
  })
  // The operator names the provider, and whom of the own network the guard lets through.
  oauth.allowInsecureRequests(config)
  // The wait is the caller's to end.
  config.timeout = 0
  if (port)
    config[oauth.customFetch] = (url, { body, ...init }) =>
      port.fetch(url, { ...init, body: body as BodyInit, signal: port.signal })
  return config
}

async function orOAuthError<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw toOAuthError(error)
  }
}

/** The library's errors carry answers and parameters; what is passed on names a status and a code. */
function toOAuthError(error: unknown): OAuthError {
  for (let inner = error; inner instanceof Error; inner = inner.cause) {
    if (inner instanceof OAuthError) return inner
    if (inner instanceof OutboundError) return new OAuthError(inner.message)
    const { status, error: code, cause } = inner as { status?: number; error?: string; cause?: unknown }
    if (typeof status === 'number') return refusal(status, code)
    if (cause instanceof Response) return refusal(cause.status)
  }
  return new OAuthError('The provider answered with something that is not OAuth')
}

function refusal(status: number, given?: string): OAuthError {
  const code = given !== undefined && /^[\w.:-]{1,60}$/.test(given) ? given : undefined
  return new OAuthError(`The provider answered ${status}${code ? ` ${code}` : ''}`, { status, code })
}

/**
 * A token answer as RFC 6749 has it. Several providers leave the token type out, write null or an empty text where
 * nothing is, or name another media type; an identity token is not asked for and not kept.
 */
async function plainTokenAnswer(answer: Response): Promise<Response> {
  if (answer.status !== 200) return answer
  const fields: unknown = await answer.json().catch(() => undefined)
  if (typeof fields !== 'object' || fields === null) return Response.json({})
  const { id_token: _, ...rest } = fields as Record<string, unknown>
  // A refusal with the status of a success.
  if (typeof rest['error'] === 'string' && rest['access_token'] === undefined)
    return Response.json(rest, { status: 400 })
  const given = Object.entries(rest).filter(([, value]) => value !== null && value !== '')
  return Response.json({ token_type: 'bearer', ...Object.fromEntries(given) })
}
