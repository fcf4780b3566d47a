import { z } from 'zod'
import type { Ctx } from '../kernel/context.ts'
import type { ErrorCode } from '../kernel/errors.ts'
import type { Access } from './access.ts'
import type { Deprecation } from './deprecation.ts'
import { type Method, type ParamNames, parseRoute, type Route } from './route.ts'
import { strictly } from './strict.ts'
import type { FileRules } from './uploaded-file.ts'

/** A limit of one endpoint, on top of its surface's. */
export interface EndpointLimit {
  requests: number
  /** Length of the sliding window in seconds. */
  perSeconds: number
  by: 'ip' | 'user'
  /** A body field whose value joins the key, as `email` at login: counted for each address on its own. */
  field?: string
  /** The body field to count by where the host does not tell the caller's address; the limit itself is wider then. */
  fieldWithoutAddress?: string
}

/** What every kind of endpoint says about itself. */
export interface BaseSpec<Id extends string, R extends Route, P, Q, H> {
  /** Unique over all surfaces, such as `dm.approvals.resolve`; also the OpenAPI operation id. */
  id: Id
  route: R
  summary: string
  description?: string
  access: Access
  params?: P
  query?: Q
  /** Request headers that the handler reads, by lower-case name. */
  headers?: H
  /** Codes that the handler may throw beyond those that the gateway itself answers with. */
  errors?: readonly ErrorCode[]
  /** Semantic label for the audit record; without it the id. */
  audit?: string
  limit?: EndpointLimit
  deprecated?: Deprecation
  /** It changes nothing, whatever its method: those who only read may call it. */
  onlyReads?: boolean
  /** It is answered however often it is asked, as what watches over the service does; it must cost next to nothing. */
  unlimited?: boolean
  /** The path holds a secret, such as the token of a link: logs and audit records show the route in its place. */
  secretPath?: boolean
  /**
   * Pages of these origins may send here and read the answer, in place of those that the server is configured with: for what is asked by
   * web sites that a tenant names.
   */
  origins?: (ctx: Ctx, params: { [K in ParamNames<R>]: string }) => Promise<readonly string[]>
  /**
   * The caller's body or path holds a password, token, key or other secret, or stands for one: an `Idempotency-Key` is ignored, so that
   * nothing is kept of what was sent or answered.
   */
  takesCredential?: boolean
}

/** What a handler gets beside its context. */
export interface Input {
  params: Record<string, unknown>
  query: unknown
  body: unknown
  headers: unknown
  /** Address of the caller, behind a trusted proxy the one that it names. */
  ip: string
  /** Address of the other end of the connection, where the host tells it. */
  remote: string | undefined
  /** The other end is a trusted proxy. */
  viaProxy: boolean
  userAgent: string
}

/** Types of an endpoint as they travel: what a client sends and gets, in JSON form. */
export interface WireTypes {
  params: unknown
  query: unknown
  body: unknown
  reply: unknown
  /** Data by event name; only of a stream. */
  events?: unknown
}

export type Kind = 'json' | 'stream' | 'raw' | 'upload'

/** One endpoint with its types taken off: what the pipeline runs. */
export interface Definition {
  readonly kind: Kind
  readonly method: Method
  /** Relative to the prefix of its surface. */
  readonly path: string
  /** Parameter names in the order of the path. */
  readonly names: readonly string[]
  /** The names that the handler knows them by; differ only where a route is delegated. */
  readonly keys: readonly string[]
  readonly summary: string
  readonly description: string | undefined
  readonly access: Access
  /** By key. */
  readonly params: Readonly<Record<string, z.ZodType | 'ulid' | 'text'>>
  readonly query: z.ZodObject | undefined
  readonly headers: z.ZodObject | undefined
  readonly body: z.ZodType | undefined
  readonly files: FileRules | undefined
  /** The JSON form of an upload that can also come without files. */
  readonly json: z.ZodType | undefined
  readonly replies: Readonly<Record<number, z.ZodType | string>>
  readonly success: number
  readonly events: Readonly<Record<string, z.ZodType>> | undefined
  readonly errors: readonly ErrorCode[]
  readonly audit: string | undefined
  readonly limit: EndpointLimit | undefined
  readonly deprecated: Deprecation | undefined
  readonly onlyReads: boolean
  readonly unlimited: boolean
  readonly secretPath: boolean
  readonly takesCredential: boolean
  readonly origins: ((ctx: Ctx, params: Record<string, string>) => Promise<readonly string[]>) | undefined
  readonly conditional: boolean
  readonly maxBodyBytes: number | undefined
  /** Media type of a file that it may answer with in place of its JSON. */
  readonly file: string | undefined
  run(ctx: Ctx, input: Input, channel?: unknown): unknown
}

/** One endpoint with its types in reach: `(typeof def)['~types']`. */
export interface Endpoint<Id extends string, R extends Route, T extends WireTypes> extends Definition {
  readonly id: Id
  readonly route: R
  /** Never set; carries the wire types for the client. */
  readonly '~types': T
}

// biome-ignore lint: any endpoint, whatever its types
export type AnyEndpoint = Endpoint<string, Route, any>

type Erased = BaseSpec<string, Route, object | undefined, z.ZodObject | undefined, z.ZodObject | undefined>
type Rest = Partial<Omit<Definition, 'kind' | 'replies' | 'run' | 'success'>> &
  Pick<Definition, 'kind' | 'replies' | 'run'>

/** True where an `Idempotency-Key` counts: for what is made by POST, unless a credential comes with it. */
export function takesKey({ method, kind, takesCredential }: Definition): boolean {
  return method === 'POST' && (kind === 'json' || kind === 'upload') && !takesCredential
}

/**
 * Builds the value that surfaces list and the pipeline runs.
 * @throws Error when the definition contradicts itself
 */
export function define<E extends AnyEndpoint>(spec: Erased, rest: Rest): E {
  const { method, path, names } = parseRoute(spec.route)
  const given = (spec.params ?? {}) as Record<string, z.ZodType>
  for (const name of Object.keys(given)) {
    if (!names.includes(name)) throw new Error(`${spec.id}: the route has no parameter ":${name}"`)
  }
  const params: Record<string, z.ZodType | 'ulid' | 'text'> = {}
  for (const name of names) params[name] = given[name] ?? (/^id$|Id$/.test(name) ? 'ulid' : 'text')
  const statuses = Object.keys(rest.replies).map(Number)
  const good = statuses.filter((status) => status < 400)
  if (rest.kind !== 'raw' && good.length !== 1) {
    throw new Error(
      `${spec.id}: declares ${good.length} successful replies; a handler answers with exactly one`,
    )
  }
  if (rest.body && (method === 'GET' || method === 'DELETE') && rest.kind !== 'raw') {
    throw new Error(`${spec.id}: a ${method} takes no body`)
  }
  if (rest.conditional && method !== 'GET') throw new Error(`${spec.id}: only a GET can be conditional`)
  const definition: Definition & { id: string; route: Route } = {
    id: spec.id,
    route: spec.route,
    kind: rest.kind,
    method,
    path,
    names,
    keys: names,
    summary: spec.summary,
    description: spec.description,
    access: spec.access,
    params,
    query: spec.query,
    headers: spec.headers,
    body: rest.body && strictly(rest.body),
    files: rest.files,
    json: rest.json && strictly(rest.json),
    replies: rest.replies,
    success: good[0] ?? 200,
    events: rest.events,
    errors: spec.errors ?? [],
    audit: spec.audit,
    limit: spec.limit,
    deprecated: spec.deprecated,
    onlyReads: spec.onlyReads ?? method === 'GET',
    unlimited: spec.unlimited ?? false,
    secretPath: spec.secretPath ?? false,
    takesCredential: spec.takesCredential ?? false,
    origins: spec.origins as Definition['origins'],
    conditional: rest.conditional ?? false,
    maxBodyBytes: rest.maxBodyBytes,
    file: rest.file,
    run: rest.run,
  }
  return Object.freeze(definition) as unknown as E
}
