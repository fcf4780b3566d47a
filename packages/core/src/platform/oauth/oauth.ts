/** An OAuth 2.0 provider, and the client that an operator has registered there. */
export interface OAuthServer {
  authorizeUrl: string
  tokenUrl: string
  /** Where tokens are given back (RFC 7009). */
  revokeUrl?: string
  clientId: string
  clientSecret: string
  scopes: readonly string[]
  /** Providers that refuse a proof key where they know of none are asked without one. */
  pkce: boolean
  /** Between scopes; a space, but for providers of their own mind. */
  scopeSeparator: string
  /** What the provider calls the client id. */
  clientIdName: string
  /** Providers without refresh tokens: an access token is exchanged for one that lasts longer, as long as it is good. */
  extension?: TokenExtension
  /** Further parameters of the authorization request. */
  parameters: Readonly<Record<string, string>>
}

export interface TokenExtension {
  grantType: string
  /** What the provider calls the access token in that request. */
  tokenName: string
  /** Seconds that the new token lasts where the answer does not say. */
  lifeS: number
}

export interface OAuthTokens {
  accessToken: string
  refreshToken?: string
  /** Seconds from now; absent where the token does not end. */
  expiresIn?: number
}

/** What has to be kept until the person comes back. */
export interface AuthorizationRequest {
  /** Where the person is sent. */
  url: string
  /** The proof key; empty where the provider knows of none. */
  verifier: string
}

/** An exchange with a provider that came to nothing. Its message holds no code, no token and no URL. */
export class OAuthError extends Error {
  override readonly name = 'OAuthError'
  /** Of the provider's answer; undefined where there was none, or one that is not OAuth. */
  readonly status: number | undefined
  /** The provider's code, such as `invalid_grant`. */
  readonly code: string | undefined

  constructor(message: string, answer: { status?: number | undefined; code?: string | undefined } = {}) {
    super(message)
    this.status = answer.status
    this.code = answer.code
  }
}

/** How providers are talked to: with the guarded `fetch`, and a signal that ends the wait. */
export interface OAuthPort {
  fetch: typeof globalThis.fetch
  signal: AbortSignal
}
