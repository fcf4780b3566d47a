import type { z } from 'zod'
import type { ErrorCode } from '../kernel/errors.ts'
import type { CountRule } from '../platform/counters/counters.ts'
import { type AnyEndpoint, type Definition, takesKey } from './definition.ts'
import { deprecationHeaders } from './deprecation.ts'
import { encoderFor } from './encode.ts'
import { impliedErrors } from './errors.ts'
import { type AnySurface, isConditional } from './surface.ts'

/** An endpoint on its surface with everything worked out that does not depend on the request. */
export interface Compiled {
  readonly id: string
  readonly def: Definition
  readonly surface: AnySurface
  readonly rule: CountRule
  readonly extraRule: CountRule | undefined
  /** Encodes what the handler returns; absent where the answer has no body of its own. */
  readonly encode: ((value: unknown) => unknown) | undefined
  readonly queryKeys: readonly string[]
  /** Codes that the handler may throw. */
  readonly allowed: ReadonlySet<ErrorCode>
  readonly writes: boolean
  readonly takesKey: boolean
  readonly action: string
  readonly resourceType: string
  /** The parameter that names the resource. */
  readonly resourceKey: string | undefined
  /** Stands for the path in logs and audit records; absent where the path itself may be shown. */
  readonly shownPath: string | undefined
  /** Answers with an `ETag`, and 304 to who has that version. */
  readonly conditional: boolean
  /** `Deprecation`, `Sunset` and `Link`; names and values in turn. */
  readonly headers: readonly string[]
}

/** Works out what a surface and an endpoint mean together. */
export function compile(surface: AnySurface, endpoint: AnyEndpoint): Compiled {
  const { limit, query } = endpoint
  const reply = endpoint.replies[endpoint.success]
  return {
    id: endpoint.id,
    def: endpoint,
    surface,
    rule: surfaceRule(surface),
    extraRule: limit && { limit: limit.requests, burst: 0, windowMs: limit.perSeconds * 1_000 },
    encode:
      typeof reply === 'object' && endpoint.success !== 204 ? encoderFor(reply as z.ZodType) : undefined,
    queryKeys: query ? Object.keys(query.shape) : [],
    allowed: new Set([...endpoint.errors, ...impliedErrors(endpoint)]),
    writes: endpoint.method !== 'GET',
    takesKey: takesKey(endpoint),
    action: endpoint.audit ?? endpoint.id,
    resourceType:
      endpoint.path.split('/').find((part) => part !== '' && !part.startsWith(':')) ?? surface.name,
    resourceKey: endpoint.keys.findLast((key) => endpoint.params[key] === 'ulid'),
    shownPath: endpoint.secretPath ? surface.prefix + endpoint.path : undefined,
    conditional: isConditional(surface, endpoint),
    headers: deprecationHeaders(endpoint.deprecated ?? surface.deprecated),
  }
}

/** The rule that counts every request of a surface. */
export function surfaceRule(surface: AnySurface): CountRule {
  return { limit: surface.limits.perMinute, burst: surface.limits.burst, windowMs: 60_000 }
}
