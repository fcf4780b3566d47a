import { createHmac } from 'node:crypto'
import {
  type TokenClaims,
  type TokenUse,
  tokenLifetimes,
} from '../../packages/core/src/domain/accounts/identity/tokens.ts'
import type { Clock } from '../../packages/core/src/platform/clock.ts'
import { signingKeys } from './app.ts'

export interface TestTokens {
  /** As the server signs it, but by other code, so that both have to agree on the format. */
  sign<U extends TokenUse>(use: U, claims: TokenClaims[U]): string
}

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

/** Signs tokens as a server with these keys does. @param signingKeys the first one signs */
export function createTestTokens(given: {
  signingKeys: ReadonlyArray<{ id: string; secret: string }>
  clock: Pick<Clock, 'now'>
}): TestTokens {
  const [key] = given.signingKeys
  if (!key) throw new TypeError('A signing key is needed')
  return {
    sign(use, claims) {
      const iat = Math.floor(given.clock.now() / 1000)
      const lifetime = use === 'task' ? {} : { exp: iat + tokenLifetimes[use as keyof typeof tokenLifetimes] }
      const header = encode({ alg: 'HS256', typ: 'JWT', kid: key.id })
      const text = `${header}.${encode({ ...claims, aud: use, iat, ...lifetime })}`
      return `${text}.${createHmac('sha256', key.secret).update(text).digest('base64url')}`
    },
  }
}

/** Access tokens of people as if they had just logged in, whenever they are looked at; others stay as they are. */
export function lastingTokens<K extends string>(
  clock: Pick<Clock, 'now'>,
  issued: Readonly<Record<K, string>>,
): Record<K, string> {
  const tokens = createTestTokens({ signingKeys, clock })
  return new Proxy(issued, {
    get(all, kind: K) {
      const token = all[kind]
      const text = Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8')
      const claims = (text.startsWith('{') ? JSON.parse(text) : {}) as TokenClaims['access'] & {
        aud?: string
      }
      return claims.aud === 'access' ? tokens.sign('access', claims) : token
    },
  })
}
