import type {
  AuditEntry,
  Ctx,
  GivenConsent,
  IdempotencyClaim,
  Principal,
  Scope,
  Trace,
} from '../kernel/context.ts'
import type { ErrorCode } from '../kernel/errors.ts'
import type { Clock, NewId } from '../platform/clock.ts'
import type { Counters } from '../platform/counters/counters.ts'
import type { Logger } from '../platform/log.ts'
import type { CredentialKind } from './access.ts'
import type { TrustedProxies } from './client-ip.ts'
import type { TenantRule } from './surface.ts'

/** What stands in the `Authorization` header. */
export interface Credential {
  scheme: 'Bearer' | 'ApiKey'
  token: string
}

type Eventually<T> = T | Promise<T>

/** What a store knows about an idempotency key. */
export type Claimed =
  | { state: 'new'; claim: IdempotencyClaim }
  | { state: 'running' }
  | { state: 'other' }
  | { state: 'unanswered' }
  | { state: 'done'; status: number; body: string }

/**
 * Keeps first answers for 24 hours, so that the same request sent twice acts once. Answers may hold secrets: keep them sealed, and the hash under
 * a key.
 */
export interface IdempotencyStore {
  /**
   * Claims `key` for a request whose content hashes to `hash`.
   * @returns `new` to go on, `running` while the first is not answered, `other` when the hash differs, `unanswered` when
   *   the first was carried out but its answer was lost, else its answer
   */
  begin(key: string, hash: string): Eventually<Claimed>
  complete(claim: IdempotencyClaim, answer: { status: number; body: string }): Eventually<void>
  /** Forgets a claim that came to nothing. */
  abandon(claim: IdempotencyClaim): Eventually<void>
}

/** What the application puts behind the gateway. */
export interface Ports {
  /**
   * Who shows this credential.
   * @throws DomainError `INVALID_TOKEN`, `TOKEN_EXPIRED`, `INVALID_API_KEY`, `UNAUTHORIZED`
   */
  authenticate(credential: Credential, accepted: readonly CredentialKind[]): Eventually<Principal>
  /**
   * What the principal may see on a surface with this rule, narrowed to the tenant that the caller names.
   * @throws DomainError `TENANT_NOT_FOUND`, `FORBIDDEN`, `VALIDATION_ERROR` on `tenantId`
   */
  resolveTenant(principal: Principal, named: string | undefined, rule: TenantRule): Eventually<Scope>
  /** The tenant of a run, for the surface of the agents. */
  runTenant(principal: Principal): Eventually<Scope>
  /** Opens the context of one request; on an open endpoint there is neither principal nor scope. */
  openContext(request: {
    principal: Principal | undefined
    scope: Scope | undefined
    trace: Trace
    log: Logger
  }): Ctx
  /**
   * The consent that a request of an assistant names.
   * @throws DomainError `FORBIDDEN` when it is none that this principal acts under
   */
  consentInUse?(principal: Principal, id: string): Eventually<GivenConsent>
  /** Writes the record of a write that wrote none in its own transaction. */
  audit?(ctx: Ctx, entry: AuditEntry): Eventually<void>
  idempotency?: IdempotencyStore
  /** Default: in process. */
  counters?: Counters
  /** Asked at every heartbeat of a stream, and when `onRefused` says so; false ends it. */
  stillValid?(principal: Principal): boolean
  /** Takes a function that is to be called when someone's access has ended. */
  onRefused?(fn: () => void): void
}

export interface CorsOptions {
  /** Origins as browsers send them, such as `https://app.example.com`. */
  origins: readonly string[]
  /** Seconds that a browser may keep a preflight's answer; default 600. */
  maxAgeSeconds?: number
}

export interface GatewayOptions {
  clock: Clock
  newId: NewId
  log: Logger
  /** Whose `X-Forwarded-For` is believed, and what it means; default loopback, which sets it. */
  trustProxy?: TrustedProxies
  cors?: CorsOptions
  /** Sends `Strict-Transport-Security`; only behind TLS. */
  hsts?: boolean
  /** Largest JSON or raw body in bytes; default 1 MiB. */
  maxBodyBytes?: number
  /** Streams of one user over all surfaces; default 5. */
  maxStreams?: number
  /** Between two heartbeats of a stream, milliseconds; default 15,000. */
  heartbeatMs?: number
  /** Bytes waiting for a slow reader of a stream before it is dropped; default 1 MiB. */
  maxStreamBuffer?: number
  /** Told of each code that a handler throws without declaring it. */
  onUndeclaredError?(fault: { endpoint: string; code: ErrorCode; error: unknown }): void
  /** Told of each answer, for metrics. */
  onAnswer?(answer: {
    surface: string
    endpoint: string
    method: string
    status: number
    durationMs: number
  }): void
}
