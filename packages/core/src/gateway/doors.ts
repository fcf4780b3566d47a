import { type MountedSurface, mountSurface } from './door.ts'
import type { Runtime } from './runtime.ts'
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

/** A door whose surface is there. */
export function openDoor(runtime: Runtime, surface: AnySurface): Door {
  const { name, prefix } = surface
  return { name, prefix, surface: async () => surface, ...mountSurface(runtime, surface) }
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
      return (opened = openDoor(runtime, surface))
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
