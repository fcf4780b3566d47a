import type { ServerResponse } from 'node:http'
import { H3, type H3Event, toNodeHandler } from 'h3'
import { type Compiled, compile } from './compile.ts'
import type { AnyEndpoint } from './definition.ts'
import { createFallback, preflightOf } from './fallback.ts'
import { respond } from './pipeline.ts'
import type { Incoming } from './request-context.ts'
import type { Fetch, MountedSurface, NodeHandler, Runtime } from './runtime.ts'
import type { AnySurface } from './surface.ts'

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
  runtime?: { node?: NonNullable<Incoming['node']> }
}

/** Takes a request apart and sends it through the pipeline. */
async function exchange(runtime: Runtime, endpoint: Compiled, event: H3Event): Promise<Response> {
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
  return (await respond(runtime, endpoint, incoming, context.done as (() => void) | undefined)) ?? sent
}

// What h3 is told when node's response has got everything already.
const sent = new Response(null)
