import { LRUCache } from 'lru-cache'
import { type App, apps, type Role, roles } from '../../../kernel/context.ts'
import { DomainError } from '../../../kernel/errors.ts'
import type { Clock } from '../../../platform/clock.ts'
import { isUlid } from '../../../platform/clock.ts'
import { sha256Hex } from '../../../platform/crypto/hash.ts'
import { createSigner, type SigningKey } from './signer.ts'

/** What each kind of token says, beside `aud`, `iat` and `exp`. */
export interface TokenClaims {
  /** Lets a person call the API; verified without a look into the database. */
  access: {
    /** User ULID. */
    sub: string
    role: Exclude<Role, 'agent'>
    appAccess: readonly App[]
    /** Absent for staff. */
    tenantId?: string
    name?: string
    email?: string
    /** ULID of the session whose refresh token this was made from. */
    sid: string
  }
  /** Lets a super-admin read one tenant as its own people see it; `sid` is the session or API key that it was issued with. */
  impersonation: { sub: string; tenantId: string; name?: string; email?: string; sid: string }
  /** Lets an agent runtime report on one run; `exp` is chosen by who dispatches it. */
  task: {
    /** Run ULID. */
    sub: string
    /** The attempt that the token was made for; a later attempt fences it off. */
    attempt: number
    /** Unix seconds. */
    exp: number
  }
  /** Lets a visitor go on with one registration. */
  registration: { /** Registration ULID. */ sub: string }
  /** Lets anyone who holds it read the PDF of one report. */
  report: { /** Report ULID. */ sub: string; tenantId: string }
  /** Proves the mailbox of an account to which its bearer is logged in. */
  mailbox: { /** User ULID. */ sub: string }
  /** Lets anyone who runs the installation see how a request of theirs arrives at it. */
  arrival: { /** Id of the look. */ sub: string }
  /** Lets the owner of a mailbox set a new password, once. */
  reset: { /** User ULID. */ sub: string /** Id of the request; the newest one counts. */; jti: string }
}

export type TokenUse = keyof TokenClaims

/** The claims of a verified token; `aud` tells its use. Shared between requests and frozen. */
export type Verified<U extends TokenUse> = U extends TokenUse
  ? Readonly<TokenClaims[U]> & { readonly aud: U; readonly iat: number; readonly exp: number }
  : never

export interface Tokens {
  /** Signs a token. Lifetimes: access 15 min, registration, report and reset 1 h, impersonation 30 min, mailbox 7 days, arrival 1 min, task as its `exp` says. */
  sign<U extends TokenUse>(use: U, claims: TokenClaims[U]): Promise<string>
  /**
   * Checks signature, use and expiry of a token that may have any of `uses`. One that was verified before is remembered until it
   * expires, and answered without a promise.
   * @throws DomainError `TOKEN_EXPIRED` when expiry is all that is wrong with it, else `INVALID_TOKEN`
   */
  verify<U extends TokenUse>(token: string, ...uses: [U, ...U[]]): Verified<U> | Promise<Verified<U>>
  /** Works with other keys from now on: tokens of a key that is not among them are refused at once. */
  replaceKeys(keys: readonly SigningKey[]): void
}

/** Seconds that a token lives. */
export const tokenLifetimes = {
  access: 900,
  registration: 3600,
  impersonation: 1800,
  report: 3600,
  reset: 3600,
  mailbox: 7 * 24 * 3600,
  arrival: 60,
} as const

export interface TokensOptions {
  /** The first key signs, all of them verify. */
  signingKeys: readonly SigningKey[]
  clock: Clock
  /** Verified tokens that are kept so that the next request with one costs a look-up. Default 5,000. */
  maxRemembered?: number
  /** Called when a token names a key that is not there; it may `replaceKeys` with newer ones. */
  onUnknownKey?: () => void
}

/**
 * Signs and verifies every JWT of the product (HS256). The use of a token is its audience: one kind is never taken for
 * another. Whether a session still stands is for the caller to ask, on each request.
 * @throws {TypeError} on signing keys that cannot be used
 */
export function createTokens(options: TokensOptions): Tokens {
  const { signingKeys, clock, maxRemembered = 5000, onUnknownKey } = options
  const signer = createSigner(signingKeys, onUnknownKey)
  // By hash: what is kept in memory lets no one act. Counted by size, it takes room as it fills.
  const remember = () =>
    new LRUCache<string, Verified<RememberedUse>>({ maxSize: maxRemembered, sizeCalculation: () => 1 })
  let remembered = remember()

  const alive = <T extends { exp: number }>(claims: T): T => {
    if (clock.now() < claims.exp * 1000) return claims
    throw new DomainError('TOKEN_EXPIRED', 'The token has expired; refresh it or log in again')
  }

  const verifySignature = async (token: string, hash: string, wanted: readonly TokenUse[]) => {
    // Of the keys that it is checked with: those may be replaced meanwhile, and what they let in is forgotten with them.
    const cache = remembered
    const claims = await signer.open(token)
    const use = claims?.['aud'] as TokenUse | undefined
    if (!claims || !use || !wanted.includes(use) || !wellFormed(use, claims)) throw invalidToken()
    const verified = alive(Object.freeze(claims) as unknown as Verified<TokenUse>)
    if (isRemembered(verified)) {
      if (verified.aud === 'access') Object.freeze(verified.appAccess)
      cache.set(hash, verified)
    }
    return verified
  }

  return {
    sign(use, claims) {
      const iat = Math.floor(clock.now() / 1000)
      const lifetime = use === 'task' ? {} : { exp: iat + tokenLifetimes[use as keyof typeof tokenLifetimes] }
      return signer.sign({ ...claims, aud: use, iat, ...lifetime })
    },
    verify<U extends TokenUse>(token: string, ...uses: [U, ...U[]]) {
      const wanted: readonly TokenUse[] = uses
      const hash = sha256Hex(token)
      const known = remembered.get(hash)
      if (!known) return verifySignature(token, hash, wanted) as Promise<Verified<U>>
      if (!wanted.includes(known.aud)) throw invalidToken()
      if (clock.now() >= known.exp * 1000) remembered.delete(hash)
      return alive(known) as Verified<U>
    },
    replaceKeys(keys) {
      signer.replace(keys)
      remembered = remember()
    },
  }
}

const invalidToken = () => new DomainError('INVALID_TOKEN', 'The token is not valid here; log in again')

/** What comes with many requests; other tokens are used once or twice. */
const rememberedUses = ['access', 'impersonation', 'task'] as const
type RememberedUse = (typeof rememberedUses)[number]
const isRemembered = (verified: Verified<TokenUse>): verified is Verified<RememberedUse> =>
  (rememberedUses as readonly TokenUse[]).includes(verified.aud)

const isId = (value: unknown) => typeof value === 'string' && isUlid(value)
const textOrNone = (value: unknown) => value === undefined || typeof value === 'string'
const instant = (value: unknown) => Number.isSafeInteger(value) && (value as number) > 0

/** A signature says who made a token, not when: claims of another shape are refused rather than trusted. */
function wellFormed(use: TokenUse, claims: Record<string, unknown>): boolean {
  const { sub, iat, exp } = claims
  if (!isId(sub) || !instant(iat) || !instant(exp)) return false
  switch (use) {
    case 'access':
      return (
        roles.includes(claims['role'] as Role) &&
        claims['role'] !== 'agent' &&
        Array.isArray(claims['appAccess']) &&
        claims['appAccess'].every((app) => apps.includes(app)) &&
        (claims['tenantId'] === undefined || isId(claims['tenantId'])) &&
        textOrNone(claims['name']) &&
        textOrNone(claims['email']) &&
        isId(claims['sid'])
      )
    case 'impersonation':
      return isId(claims['tenantId']) && isId(claims['sid'])
    case 'report':
      return isId(claims['tenantId'])
    case 'task':
      return instant(claims['attempt'])
    case 'reset':
      return typeof claims['jti'] === 'string'
    case 'registration':
    case 'mailbox':
    case 'arrival':
      return true
  }
}

declare module '../../../kernel/services.ts' {
  interface Services {
    tokens: Tokens
  }
}
