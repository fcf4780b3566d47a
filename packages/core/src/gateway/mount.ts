import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { H3, type H3Event, toNodeHandler } from 'h3'
import type { Principal } from '../kernel/context.ts'
import { publicAccess } from './access.ts'
import { type AttachedPath, attached } from './attach.ts'
import { type Caller, createCallers } from './call.ts'
import { type Compiled, compile } from './compile.ts'
import { createFallback } from './fallback.ts'
import { type EndpointInfo, infoOf } from './info.ts'
import { createClientErrorListener, refuseWithoutOneHost } from './parser-errors.ts'
import { run } from './pipeline.ts'
import type { GatewayOptions, Ports } from './ports.ts'
import { createRequestContext, type Incoming } from './request-context.ts'
import { createRuntime, type Runtime } from './runtime.ts'
import { type AnySurface, surface } from './surface.ts'

type NodeHandler = (req: IncomingMessage, res: ServerResponse) => Promise<void>
type Fetch = (request: Request, from?: { ip?: string | undefined }) => Promise<Response>

/** One door, usable on its own. */
export interface MountedSurface {
  fetch: Fetch
  node: NodeHandler
}

export interface Gateway extends MountedSurface {
  /** Answers what node's parser refuses; a listener for `clientError` of its HTTP server. */
  clientError(error: Error, socket: Duplex): void
  /** Every endpoint of every surface, in order. */
  endpoints(): EndpointInfo[]
  /** @throws Error when there is no surface of that name */
  surface(name: string): MountedSurface
  /** Calls endpoints in process, as someone whom the embedding program vouches for. */
  as(principal: Principal): Caller<readonly AnySurface[]>
  /** Another door beside the surfaces, behind the same pipeline. */
  attach(attachment: AttachedPath): MountedSurface
  /** How many streams are open. */
  readonly streams: number
  /** Refuses new requests, ends the streams and waits until the last answer is through. */
  drain(): Promise<void>
}

/**
 * Puts surfaces behind one door each: one h3 app a surface, which only routes; the pipeline does the rest.
 * @throws Error when two surfaces share a prefix or a name, or two endpoints an id
 */
export function createGateway(given: {
  surfaces: readonly AnySurface[]
  ports: Ports
  options: GatewayOptions
}): Gateway {
  const surfaces = withRoot(given.surfaces)
  checkDistinct(surfaces)
  const runtime = createRuntime(given.ports, given.options)
  given.ports.onRefused?.(() => runtime.streams.recheck())
  const doors = surfaces
    .map((item) => ({ prefix: item.prefix, name: item.name, ...mountSurface(runtime, item) }))
    .toSorted((a, b) => b.prefix.length - a.prefix.length)
  const pick = (path: string) => doors.find(({ prefix }) => under(path, prefix)) as (typeof doors)[number]
  return {
    fetch: (request, from) => pick(pathOf(request.url)).fetch(request, from),
    node: (req, res) =>
      refuseWithoutOneHost(runtime, req, res)
        ? Promise.resolve()
        : pick(pathOf(req.url ?? '/')).node(req, res),
    attach(attachment) {
      const like = surfaces.find(({ name }) => name === attachment.like)
      if (!like) throw new Error(`There is no surface "${attachment.like}"`)
      const { fetch, node } = mountSurface(runtime, attached(attachment, like))
      return {
        fetch,
        node: (req, res) => (refuseWithoutOneHost(runtime, req, res) ? Promise.resolve() : node(req, res)),
      }
    },
    as: createCallers(runtime, given.surfaces),
    clientError: createClientErrorListener(runtime),
    endpoints: () => given.surfaces.flatMap((item) => item.endpoints.map((one) => infoOf(item, one))),
    surface(name) {
      const door = doors.find((one) => one.name === name)
      if (!door) throw new Error(`There is no surface "${name}"`)
      return { fetch: door.fetch, node: door.node }
    },
    get streams() {
      return runtime.streams.size
    },
    async drain() {
      runtime.draining = true
      runtime.streams.closeAll()
      if (runtime.active > 0) await new Promise<void>((resolve) => (runtime.onIdle = resolve))
    },
  }
}

/** Paths that belong to no surface are answered by one without endpoints. */
function withRoot(surfaces: readonly AnySurface[]): readonly AnySurface[] {
  if (surfaces.some((item) => item.prefix === '')) return surfaces
  const limits = { perMinute: 300, burst: 0, by: 'ip' as const }
  const root = surface({
    name: 'root',
    prefix: '',
    access: publicAccess,
    tenant: 'none',
    limits,
    endpoints: [],
  })
  return [...surfaces, root]
}

function checkDistinct(surfaces: readonly AnySurface[]): void {
  const seen = new Set<string>()
  const all = surfaces.flatMap((item) => [
    `surface name "${item.name}"`,
    `prefix "${item.prefix}"`,
    ...item.endpoints.map((one) => `endpoint id "${one.id}"`),
  ])
  for (const what of all) {
    if (seen.has(what)) throw new Error(`The ${what} is used twice`)
    seen.add(what)
  }
}

function pathOf(url: string): string {
  if (url.startsWith('/')) return url
  const start = url.indexOf('/', url.indexOf('://') + 3)
  return start < 0 ? '/' : url.slice(start)
}

function under(path: string, prefix: string): boolean {
  if (!path.startsWith(prefix)) return false
  const next = path.charCodeAt(prefix.length)
  return prefix === '' || Number.isNaN(next) || next === 47 || next === 63 || next === 35
}

function mountSurface(runtime: Runtime, item: AnySurface): MountedSurface {
  const app = new H3({ silent: true, allowMalformedURL: true })
  const serve = (endpoint: Compiled) => (event: H3Event) => exchange(runtime, endpoint, event)
  for (const one of item.endpoints) {
    const handler = serve(compile(item, one))
    const path = one.path === '/' ? item.prefix || '/' : item.prefix + one.path
    app.on(one.method, path, handler)
    if (one.method === 'GET' && one.kind !== 'stream') app.on('HEAD', path, handler)
  }
  const fallback = createFallback(runtime, item)
  app.all('/**', (event) =>
    exchange(runtime, fallback(event.req.method, event.url.pathname, event.req), event),
  )
  const fetch: Fetch = (request, from) => {
    ;(request as Contextual).context = { ip: from?.ip }
    return Promise.resolve(app.fetch(request))
  }
  const onNode = (request: Contextual) => {
    const pair = request.runtime?.node
    request.context = { node: pair, done: pair && settles.get(pair.res) }
    return app.fetch(request as never)
  }
  const convert = toNodeHandler({ fetch: onNode } as unknown as H3) as NodeHandler
  const settles = new WeakMap<ServerResponse, () => void>()
  const node: NodeHandler = (req, res) =>
    new Promise((resolve, reject) => {
      settles.set(res, resolve)
      convert(req, res).then(resolve, reject)
    })
  return { fetch, node }
}

type Contextual = Request & {
  context?: Record<string, unknown>
  runtime?: { node?: { req: IncomingMessage; res: ServerResponse } }
}

/** Takes a request apart and sends it through the pipeline. */
function exchange(runtime: Runtime, endpoint: Compiled, event: H3Event): Promise<Response> {
  const { context, url } = event
  const node = context.node as Incoming['node']
  const incoming: Incoming = {
    method: event.req.method,
    path: url.pathname,
    search: url.search,
    params: context.params,
    node,
    web: event.req,
    remote: node ? node.req.socket.remoteAddress : (context.ip as string | undefined),
  }
  runtime.active += 1
  const done = context.done as (() => void) | undefined
  const x = createRequestContext(runtime, endpoint, incoming, () => {
    runtime.active -= 1
    if (runtime.active === 0) runtime.onIdle?.()
    done?.()
  })
  return run(x)
}
