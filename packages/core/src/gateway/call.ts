import type { Principal } from '../kernel/context.ts'
import { DomainError } from '../kernel/errors.ts'
import type { CredentialKind } from './access.ts'
import { type Compiled, compile } from './compile.ts'
import type { AnyEndpoint, WireTypes } from './definition.ts'
import { toApiError } from './errors.ts'
import { inProcess } from './pipeline.ts'
import { createRequestContext } from './request-context.ts'
import type { Runtime } from './runtime.ts'
import type { AnySurface } from './surface.ts'

type Endpoints<S extends readonly AnySurface[]> = S[number]['endpoints'][number]
type Types<S extends readonly AnySurface[], Id> = Extract<Endpoints<S>, { id: Id }>['~types']

/** The ids of the endpoints that can be called: those that answer in JSON, neither streams nor bytes. */
export type CallableId<S extends readonly AnySurface[]> = {
  [E in Endpoints<S> as E['id']]: E['~types'] extends { events: unknown } | { reply: Uint8Array }
    ? never
    : E['id']
}[Endpoints<S>['id']]

type Part<K extends string, T> = [T] extends [undefined]
  ? { [P in K]?: undefined }
  : Record<string, never> extends T
    ? { [P in K]?: T }
    : { [P in K]: T }

/** What a call takes: exactly what its endpoint declares, in JSON form. */
export type CallInput<T extends WireTypes> = (keyof T['params'] extends never
  ? { params?: undefined }
  : { params: T['params'] }) &
  Part<'query', T['query']> &
  Part<'body', T['body']>

type Given<T> = Record<string, never> extends T ? [input?: T] : [input: T]

/** Calls endpoints in process as one person, key or run. */
export interface Caller<S extends readonly AnySurface[]> {
  /**
   * Runs the endpoint's own definition: the same access, app access, tenant rule, schemas and audit as over HTTP. Rate limits,
   * idempotency keys and request logs are of requests from outside, and do not count here.
   * @param id as `copydesk routes` lists it, such as `dm.approvals.resolve`
   * @returns the reply as it would travel; nothing for 204
   * @throws DomainError with the codes of the endpoint; TypeError for an id that cannot be called
   */
  call<const Id extends CallableId<S>>(
    id: Id,
    ...input: Given<CallInput<Types<S, Id>>>
  ): Promise<Types<S, Id>['reply']>
}

interface AnyInput {
  params?: Record<string, string>
  query?: Record<string, unknown>
  body?: unknown
}

/**
 * @param load gives the surfaces at the first call
 * @returns what makes a caller of a principal; the embedding program vouches for who that is
 */
export function createCallers<S extends readonly AnySurface[]>(
  runtime: Runtime,
  load: () => Promise<S>,
): (principal: Principal) => Caller<S> {
  let endpoints: ReadonlyMap<string, [AnySurface, AnyEndpoint]> | undefined
  const compiled = new Map<string, Compiled>()
  const find = async (id: string) => {
    const known = compiled.get(id)
    if (known) return known
    endpoints ??= byId(await load())
    const [surface, endpoint] = endpoints.get(id) ?? []
    if (!surface || !endpoint)
      throw new TypeError(`There is no endpoint "${id}"; "copydesk routes" lists them`)
    if (endpoint.kind === 'stream' || endpoint.kind === 'raw')
      throw new TypeError(`"${id}" answers with a stream or with bytes: request it through fetch`)
    const made = compile(surface, endpoint)
    compiled.set(id, made)
    return made
  }
  return (principal) =>
    ({
      async call(id: string, input: AnyInput = {}) {
        const endpoint = await find(id)
        checkCredential(principal, endpoint)
        return perform(runtime, endpoint, principal, input)
      },
    }) as Caller<S>
}

function byId(surfaces: readonly AnySurface[]): ReadonlyMap<string, [AnySurface, AnyEndpoint]> {
  return new Map(
    surfaces.flatMap((surface) => surface.endpoints.map((one) => [one.id, [surface, one] as const])),
  ) as never
}

const credentialOf: Record<Principal['type'], CredentialKind> = {
  human: 'jwt',
  api_key: 'apikey',
  agent: 'task',
}

/** @throws DomainError `UNAUTHORIZED` where a request with the credential of such a principal would be refused */
function checkCredential({ type }: Principal, { def, id }: Compiled): void {
  const { access } = def
  if (access.public || access.credentials.includes(credentialOf[type])) return
  throw new DomainError('UNAUTHORIZED', `${id} is not for callers of the type "${type}"`)
}

async function perform(
  runtime: Runtime,
  endpoint: Compiled,
  principal: Principal,
  input: AnyInput,
): Promise<unknown> {
  const { params = {}, query = {} } = input
  const { def, surface } = endpoint
  const encoded = Object.fromEntries(
    Object.entries(params).map(([name, value]) => [name, encodeURIComponent(value)]),
  )
  const path = surface.prefix + def.path.replace(/:(\w+)/g, (_, name: string) => encoded[name] ?? '')
  const searched = new URLSearchParams()
  for (const [name, value] of Object.entries(query))
    if (value !== undefined) searched.set(name, String(value as string | number | boolean))
  const search = searched.size === 0 ? '' : `?${searched}`
  const web = new Request(`http://in-process${path}${search}`, { method: def.method, ...bodyOf(input.body) })
  const x = createRequestContext(
    runtime,
    endpoint,
    { method: def.method, path, search, params: encoded, node: undefined, web, remote: undefined },
    () => undefined,
  )
  x.principal = def.access.public ? undefined : principal
  runtime.active += 1
  try {
    for (const stage of inProcess) {
      if (stage.when === 'end') continue
      try {
        await stage.run(x)
      } catch (error) {
        const { code } = toApiError(error).error
        if (stage.name === 'handler' && !endpoint.allowed.has(code))
          runtime.options.onUndeclaredError?.({ endpoint: endpoint.id, code, error })
        throw error
      }
    }
  } finally {
    await x.discard?.()
    runtime.active -= 1
    if (runtime.active === 0) runtime.onIdle?.()
  }
  const body = x.answer?.body
  if (body instanceof Uint8Array) return body
  return typeof body === 'string' ? JSON.parse(body) : undefined
}

function bodyOf(body: unknown): RequestInit {
  if (body === undefined) return {}
  // A form brings its own content type, with the boundary between its parts.
  if (body instanceof FormData) return { body }
  return { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }
}
