import type { Access } from './access.ts'
import type { AnyEndpoint, WireTypes } from './definition.ts'
import { checkDeprecation, type Deprecation } from './deprecation.ts'
import { shapeOf } from './route.ts'

/**
 * Where the tenant of a request comes from. `claim-or-assigned`: the token's own, or of those that a reviewer is assigned to the
 * one that is named. `all` reaches every tenant, and paths name the one that they mean.
 */
export type TenantRule = 'claim' | 'claim-or-assigned' | 'query' | 'query-or-header' | 'run' | 'none' | 'all'

export interface SurfaceLimits {
  /** Requests in any window of 60 s, `burst` on top. */
  perMinute: number
  burst: number
  /** What is counted; without a principal it is the caller's address. */
  by: 'user' | 'run' | 'ip'
}

export interface SurfaceSpec<Name extends string, Es extends readonly AnyEndpoint[]> {
  /** As it stands in audit records and logs. */
  name: Name
  /** Path prefix without a slash at the end; `''` serves from the root. */
  prefix: string
  /** The access matrix: asked before the router is, so it also answers for paths that do not exist. */
  access: Access
  tenant: TenantRule
  limits: SurfaceLimits
  /** Requests of one user at the same time; none when absent. Streams have their own cap. */
  concurrency?: number
  /** Everything that is read here has an `ETag`, and answers 304 to who has that version. */
  conditional?: boolean
  /** Announced on every answer; an endpoint may say its own. */
  deprecated?: Deprecation
  endpoints: Es
}

export interface Surface<
  Name extends string = string,
  Es extends readonly AnyEndpoint[] = readonly AnyEndpoint[],
> extends SurfaceSpec<Name, Es> {}

export type AnySurface = Surface

/**
 * One door of the service: a prefix, its rules, and its endpoints.
 * @throws Error when two endpoints share a route or an id, or one would be gone too soon
 */
export function surface<const Name extends string, const Es extends readonly AnyEndpoint[]>(
  spec: SurfaceSpec<Name, Es>,
): Surface<Name, Es> {
  if (spec.prefix !== '' && !/^(\/[\w-]+)+$/.test(spec.prefix)) {
    throw new Error(`Surface ${spec.name}: "${spec.prefix}" is no path prefix`)
  }
  if (spec.deprecated) checkDeprecation(`Surface ${spec.name}`, spec.deprecated)
  const routes = new Map<string, string>()
  const ids = new Set<string>()
  for (const item of spec.endpoints) {
    if (item.deprecated) checkDeprecation(item.id, item.deprecated)
    const route = `${item.method} ${shapeOf(item.path)}`
    const other = routes.get(route)
    if (other !== undefined) {
      throw new Error(`Surface ${spec.name}: ${other} and ${item.id} both serve ${item.route}`)
    }
    if (ids.has(item.id)) throw new Error(`Surface ${spec.name}: two endpoints have the id ${item.id}`)
    routes.set(route, item.id)
    ids.add(item.id)
  }
  return Object.freeze({ ...spec })
}

type Module = Readonly<Record<string, unknown>>

/** Every endpoint that resource files export, in the order of their paths. @param modules `import * as` of each file */
export function endpointsOf<const M extends readonly Module[]>(
  ...modules: M
): Array<Extract<{ [I in keyof M]: M[I][keyof M[I]] }[number], AnyEndpoint>> {
  const found = modules.flatMap((module) => Object.values(module)).filter(isEndpoint)
  return found.toSorted((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1)) as never
}

const isEndpoint = (value: unknown): value is AnyEndpoint =>
  typeof value === 'object' && value !== null && 'route' in value && 'run' in value
/** As docs list them: reads first, what deletes last. */
const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']
const orderOf = ({ path, method }: AnyEndpoint) => `${path} ${methods.indexOf(method)}`

/** The wire types of a surface's endpoints by their id, for a typed client. */
export type EndpointTypes<S extends { readonly endpoints: readonly AnyEndpoint[] }> = {
  [E in S['endpoints'][number] as E['id']]: E['~types'] extends WireTypes
    ? { id: E['id']; route: E['route'] } & E['~types']
    : never
}

/** True where the answer carries an `ETag` and may be 304: the endpoint says so, or its surface for everything it reads. */
export function isConditional(surface: AnySurface, endpoint: AnyEndpoint): boolean {
  const reads = endpoint.method === 'GET' && endpoint.kind === 'json'
  return endpoint.conditional || (reads && surface.conditional === true)
}
