import type { IncomingMessage, ServerResponse } from 'node:http'
import { H3, type H3Event, toNodeHandler } from 'h3'
import { type Compiled, compile } from './compile.ts'
import type { AnyEndpoint } from './definition.ts'
import { createFallback, preflightOf } from './fallback.ts'
import { run } from './pipeline.ts'
import { createRequestContext, type Incoming } from './request-context.ts'
import type { Runtime } from './runtime.ts'
import type { AnySurface } from './surface.ts'

type NodeHandler = (req: IncomingMessage, res: ServerResponse) => Promise<void>
type Fetch = (request: Request, from?: { ip?: string | undefined }) => Promise<Response>

/** One door, usable on its own. */
export interface MountedSurface {
  fetch: Fetch
  node: NodeHandler
}

/** Puts a surface behind a door of its own: an h3 app, which only routes; the pipeline does the rest. */
export function mountSurface(runtime: Runtime, item: AnySurface): MountedSurface {
  const app = new H3({ silent: true, allowMalformedURL: true })
  // Most endpoints of a server are asked for long after its start, if ever.
  const serve = (endpoint: AnyEndpoint) => {
    let compiled: Compiled | undefined
    return (event: H3Event) => exchange(runtime, (compiled ??= compile(item, endpoint)), event)
  }
  for (const one of item.endpoints) {
    const handler = serve(one)
    const path = one.path === '/' ? item.prefix || '/' : item.prefix + one.path
    app.on(one.method, path, handler)
    if (one.method === 'GET' && one.kind !== 'stream') app.on('HEAD', path, handler)
    if (one.origins) app.on('OPTIONS', path, serve(preflightOf(item, one)))
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
