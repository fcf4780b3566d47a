import type { Duplex } from 'node:stream'
import type { Principal } from '../kernel/context.ts'
import { publicAccess } from './access.ts'
import { type AttachedPath, attached } from './attach.ts'
import { type Caller, createCallers } from './call.ts'
import { type Door, type LaterSurface, laterDoor, loadRouter, openDoor } from './doors.ts'
import { type EndpointInfo, infoOf } from './info.ts'
import { createClientErrorListener, refuseWithoutOneHost } from './parser-errors.ts'
import type { GatewayOptions, Ports } from './ports.ts'
import { createRuntime, type MountedSurface, type Runtime } from './runtime.ts'
import { type AnySurface, surface } from './surface.ts'

export interface Gateway extends MountedSurface {
  /** Answers what node's parser refuses; a listener for `clientError` of its HTTP server. */
  clientError(error: Error, socket: Duplex): void
  /** Every endpoint of every surface, in order. */
  endpoints(): Promise<EndpointInfo[]>
  /** @throws Error when there is no surface of that name */
  surface(name: string): MountedSurface
  /** Calls endpoints in process, as someone whom the embedding program vouches for. */
  as(principal: Principal): Caller<readonly AnySurface[]>
  /** Another door beside the surfaces, behind the same pipeline. @throws Error when there is no surface like which it is to be */
  attach(attachment: AttachedPath): MountedSurface
  /** How many streams are open. */
  readonly streams: number
  /** Loads what the first request would wait for otherwise. */
  load(): Promise<void>
  /** Refuses new requests, ends the streams and waits until the last answer is through. */
  drain(): Promise<void>
}

/**
 * Puts surfaces behind one door each.
 * @param given.later surfaces that are loaded by the first request for them
 * @throws Error when two surfaces share a prefix or a name, or two endpoints an id
 */
export function createGateway(given: {
  surfaces: readonly AnySurface[]
  later?: readonly LaterSurface[]
  ports: Ports
  options: GatewayOptions
}): Gateway {
  const runtime = createRuntime(given.ports, given.options)
  given.ports.onRefused?.(() => runtime.streams.recheck())
  const doors = doorsTo(runtime, given.surfaces, given.later ?? [])
  const byLength = doors.toSorted((a, b) => b.prefix.length - a.prefix.length)
  const pick = (path: string) => byLength.find(({ prefix }) => under(path, prefix)) as Door
  const find = (name: string) => {
    const found = doors.find((one) => one.name === name)
    if (!found) throw new Error(`There is no surface "${name}"`)
    return found
  }
  const all = async () => {
    const surfaces = await Promise.all(doors.map((door) => door.surface()))
    checkIds(surfaces)
    return surfaces
  }
  return {
    fetch: (request, from) => pick(pathOf(request.url)).fetch(request, from),
    node: (req, res) =>
      refuseWithoutOneHost(runtime, req, res)
        ? Promise.resolve()
        : pick(pathOf(req.url ?? '/')).node(req, res),
    attach(attachment) {
      const like = find(attachment.like)
      const { fetch, node } = laterDoor(runtime, {
        name: attachment.name,
        prefix: attachment.path,
        load: async () => attached(attachment, await like.surface()),
      })
      return {
        fetch,
        node: (req, res) => (refuseWithoutOneHost(runtime, req, res) ? Promise.resolve() : node(req, res)),
      }
    },
    as: createCallers(runtime, all),
    clientError: createClientErrorListener(runtime),
    async endpoints() {
      return (await all()).flatMap((item) => item.endpoints.map((one) => infoOf(item, one)))
    },
    surface(name) {
      const { fetch, node } = find(name)
      return { fetch, node }
    },
    get streams() {
      return runtime.streams.size
    },
    async load() {
      await loadRouter()
    },
    async drain() {
      runtime.draining = true
      runtime.streams.closeAll()
      if (runtime.active > 0) await new Promise<void>((resolve) => (runtime.onIdle = resolve))
    },
  }
}

function doorsTo(runtime: Runtime, now: readonly AnySurface[], later: readonly LaterSurface[]): Door[] {
  checkIds(now)
  const surfaces = [...later, ...now].some(({ prefix }) => prefix === '') ? now : [...now, nothing]
  requireDistinct(
    [...later, ...surfaces].flatMap(({ name, prefix }) => [`surface name "${name}"`, `prefix "${prefix}"`]),
  )
  return [...later.map((one) => laterDoor(runtime, one)), ...surfaces.map((one) => openDoor(runtime, one))]
}

/** Answers for paths that belong to no surface. */
const nothing = surface({
  name: 'root',
  prefix: '',
  access: publicAccess,
  tenant: 'none',
  limits: { perMinute: 300, burst: 0, by: 'ip' },
  endpoints: [],
})

function checkIds(surfaces: readonly AnySurface[]): void {
  requireDistinct(surfaces.flatMap(({ endpoints }) => endpoints.map(({ id }) => `endpoint id "${id}"`)))
}

function requireDistinct(all: readonly string[]): void {
  const seen = new Set<string>()
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
