import type { Duplex } from 'node:stream'
import type { Principal } from '../kernel/context.ts'
import { publicAccess } from './access.ts'
import { type AttachedPath, attached } from './attach.ts'
import { type Caller, createCallers } from './call.ts'
import { type MountedSurface, mountSurface } from './door.ts'
import { type EndpointInfo, infoOf } from './info.ts'
import { createClientErrorListener, refuseWithoutOneHost } from './parser-errors.ts'
import type { GatewayOptions, Ports } from './ports.ts'
import { createRuntime, type Runtime } from './runtime.ts'
import { type AnySurface, surface } from './surface.ts'

export interface Gateway extends MountedSurface {
  /** Answers what node's parser refuses; a listener for `clientError` of its HTTP server. */
  clientError(error: Error, socket: Duplex): void
  /** Loads the surfaces that are loaded later, and opens their doors. */
  open(): Promise<void>
  /** Every endpoint of every surface, in order. */
  endpoints(): Promise<EndpointInfo[]>
  /** @throws Error when there is no surface of that name; its requests reject where surfaces have not been loaded yet */
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
 * Puts surfaces behind one door each.
 * @param given.later loads further surfaces when they are first needed; paths of the endpoints of `surfaces` do not wait for them
 * @throws Error when two surfaces share a prefix or a name, or two endpoints an id
 */
export function createGateway(given: {
  surfaces: readonly AnySurface[]
  later?: () => Promise<readonly AnySurface[]>
  ports: Ports
  options: GatewayOptions
}): Gateway {
  const runtime = createRuntime(given.ports, given.options)
  given.ports.onRefused?.(() => runtime.streams.recheck())
  const { later } = given
  let surfaces = given.surfaces
  let doors = openDoors(runtime, withRoot(surfaces))
  let opening: Promise<void> | undefined
  let isOpen = !later
  const openRest = async (load: NonNullable<typeof later>) => {
    try {
      const all = [...(await load()), ...given.surfaces]
      doors = openDoors(runtime, withRoot(all))
      surfaces = all
      isOpen = true
    } catch (error) {
      opening = undefined
      throw error
    }
  }
  const open = () => (opening ??= later ? openRest(later) : Promise.resolve())
  const soon = beginningsOf(surfaces)
  const isKnown = (path: string) => isOpen || soon.some((beginning) => under(path, beginning))
  const pick = (path: string) => doors.find(({ prefix }) => under(path, prefix)) as Door
  const find = (name: string) => {
    const found = surfaces.find((one) => one.name === name)
    if (!found) throw new Error(`There is no surface "${name}"`)
    return found
  }
  const whenOpen = (make: () => MountedSurface): MountedSurface => {
    if (isOpen) return make()
    let made: MountedSurface | undefined
    const door = async () => {
      await open()
      return (made ??= make())
    }
    return {
      fetch: async (request, from) => (await door()).fetch(request, from),
      node: async (req, res) => (await door()).node(req, res),
    }
  }
  const fetch: MountedSurface['fetch'] = (request, from) => {
    const path = pathOf(request.url)
    return isKnown(path)
      ? pick(path).fetch(request, from)
      : open().then(() => pick(path).fetch(request, from))
  }
  const node: MountedSurface['node'] = (req, res) => {
    const path = pathOf(req.url ?? '/')
    if (refuseWithoutOneHost(runtime, req, res)) return Promise.resolve()
    return isKnown(path) ? pick(path).node(req, res) : open().then(() => pick(path).node(req, res))
  }
  return {
    fetch,
    node,
    open,
    attach(attachment) {
      const door = whenOpen(() => mountSurface(runtime, attached(attachment, find(attachment.like))))
      return {
        fetch: door.fetch,
        node: (req, res) =>
          refuseWithoutOneHost(runtime, req, res) ? Promise.resolve() : door.node(req, res),
      }
    },
    as: createCallers(runtime, async () => {
      await open()
      return surfaces
    }),
    clientError: createClientErrorListener(runtime),
    async endpoints() {
      await open()
      return surfaces.flatMap((item) => item.endpoints.map((one) => infoOf(item, one)))
    },
    surface(name) {
      const { fetch, node } = whenOpen(() => pick(`${find(name).prefix}/`))
      return { fetch, node }
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

interface Door extends MountedSurface {
  prefix: string
}

function openDoors(runtime: Runtime, surfaces: readonly AnySurface[]): Door[] {
  checkDistinct(surfaces)
  return surfaces
    .map((item) => ({ prefix: item.prefix, ...mountSurface(runtime, item) }))
    .toSorted((a, b) => b.prefix.length - a.prefix.length)
}

/** How the paths of endpoints begin, such as `/health`. */
function beginningsOf(surfaces: readonly AnySurface[]): string[] {
  const all = surfaces.flatMap(({ prefix, endpoints }) => endpoints.map(({ path }) => prefix + path))
  return [...new Set(all.map((path) => path.split('/', 2).join('/')))]
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
