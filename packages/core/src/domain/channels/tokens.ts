import type { Box } from '../../platform/crypto/box.ts'
import type { OAuthTokens } from '../../platform/oauth/oauth.ts'

/** What is kept of the tokens of a connection, beside when they end. */
export type KeptTokens = Pick<OAuthTokens, 'accessToken' | 'refreshToken'>

/** @returns both tokens as one text that opens for this tenant only */
export function sealTokens(box: Box, { accessToken, refreshToken }: KeptTokens, tenantId: string): string {
  return box.seal(JSON.stringify({ accessToken, refreshToken }), tenantId)
}

/** @throws BoxError when the text is not of this tenant */
export function openTokens(box: Box, sealed: string, tenantId: string): KeptTokens {
  return JSON.parse(box.open(sealed, tenantId)) as KeptTokens
}
