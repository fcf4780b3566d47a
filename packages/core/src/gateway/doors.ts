import { type Compiled, compile } from './compile.ts'
import { respond } from './pipeline.ts'
import type { MountedSurface, Runtime } from './runtime.ts'
import type { AnySurface } from './surface.ts'

/** A surface whose code is loaded when the first request for it comes. */
export interface LaterSurface {
  name: string
  prefix: string
  load(): Promise<AnySurface>
}

/** A surface behind its door, loaded or not. */
export interface Door extends MountedSurface {
  readonly name: string
  readonly prefix: string
  surface(): Promise<AnySurface>
}

/** The router, and what it takes of node: the answers to requests from elsewhere. A server is healthy without it. */
export const loadRouter = () => import('./door.ts')

/**
 * A door whose surface is there. What has a fixed path and is only read is answered without the router, which is loaded by the
 * first request for anything else.
 */
export function openDoor(runtime: Runtime, surface: AnySurface): Door {
  const { name, prefix } = surface
  const routed = laterDoor(runtime, { name, prefix, load: async () => surface })
  const endpoints = surface.endpoints.filter(
    ({ method, kind, path }) => method === 'GET' && kind === 'json' && path !== '/' && !path.includes(':'),
  )
  const fixed = new Map(endpoints.map((one) => [prefix + one.path, one]))
  const compiled = new Map<string, Compiled>()
  return {
    ...routed,
    async node(req, res) {
      const path = req.url ?? ''
      const endpoint = req.method === 'GET' ? fixed.get(path) : undefined
      if (!endpoint) return routed.node(req, res)
      const found = compiled.get(path) ?? compile(surface, endpoint)
      compiled.set(path, found)
      await respond(runtime, found, {
        method: 'GET',
        path,
        search: '',
        params: undefined,
        node: { req, res },
        web: undefined,
        remote: req.socket.remoteAddress,
      })
    },
  }
}

/**
 * A door whose surface is loaded by the first who needs it. Requests that come meanwhile wait for it; when it could not be loaded they
 * reject, and the next one tries again.
 */
export function laterDoor(runtime: Runtime, { name, prefix, load }: LaterSurface): Door {
  let opened: Door | undefined
  let opening: Promise<Door> | undefined
  const loadOnce = async () => {
    try {
      const surface = await load()
      if (surface.name !== name || surface.prefix !== prefix)
        throw new Error(
          `Surface ${name} under ${prefix} was loaded as ${surface.name} under ${surface.prefix}`,
        )
      const { mountSurface } = await loadRouter()
      return (opened = { name, prefix, surface: async () => surface, ...mountSurface(runtime, surface) })
    } catch (error) {
      opening = undefined
      throw error
    }
  }
  const open = () => (opening ??= loadOnce())
  return {
    name,
    prefix,
    surface: async () => (await open()).surface(),
    fetch: (request, from) =>
      opened ? opened.fetch(request, from) : open().then((door) => door.fetch(request, from)),
    node: (req, res) => (opened ? opened.node(req, res) : open().then((door) => door.node(req, res))),
  }
}
