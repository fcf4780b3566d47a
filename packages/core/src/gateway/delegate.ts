import type { Access } from './access.ts'
import type { AnyEndpoint, Definition, Endpoint, EndpointLimit } from './definition.ts'
import type { Deprecation } from './deprecation.ts'
import { type ParamNames, parseRoute, type Route } from './route.ts'

export interface DelegateSpec<Id extends string, R extends Route> {
  id: Id
  route: R
  access: Access
  summary?: string
  description?: string
  audit?: string
  limit?: EndpointLimit
  deprecated?: Deprecation
}

type Delegated<E extends AnyEndpoint, Id extends string, R extends Route> = Endpoint<
  Id,
  R,
  {
    params: {
      [K in ParamNames<R>]: K extends keyof E['~types']['params'] ? E['~types']['params'][K] : string
    }
    query: E['~types']['query']
    body: E['~types']['body']
    reply: E['~types']['reply']
    events: E['~types']['events']
  }
>

/**
 * Serves a definition on another surface, under its own id, route and access; identity and access are never inherited.
 * Parameters are handed over by name where the names agree, else by their place in the path.
 * @throws Error when the routes differ in method or in the number of parameters
 */
export function delegate<E extends AnyEndpoint, const Id extends string, const R extends Route>(
  target: E,
  spec: DelegateSpec<Id, R>,
): Delegated<E, Id, R> {
  const { method, path, names } = parseRoute(spec.route)
  if (method !== target.method || names.length !== target.names.length) {
    throw new Error(`${spec.id}: "${spec.route}" cannot stand for "${target.route}" of ${target.id}`)
  }
  const agree = names.every((name) => target.keys.includes(name))
  const definition: Definition & { id: string; route: Route } = {
    ...target,
    method,
    path,
    names,
    keys: agree ? names : target.keys,
    id: spec.id,
    route: spec.route,
    access: spec.access,
    summary: spec.summary ?? target.summary,
    description: spec.description ?? target.description,
    audit: spec.audit ?? target.audit,
    limit: spec.limit ?? target.limit,
    deprecated: spec.deprecated,
  }
  return Object.freeze(definition) as unknown as Delegated<E, Id, R>
}
