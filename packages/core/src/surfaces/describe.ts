import { type EndpointInfo, infoOf } from '../gateway/info.ts'
import { surfaces } from './surfaces.ts'
import { docs } from './root/docs.ts'

/** Every endpoint that is served, surface by surface. */
export function describeSurfaces(): EndpointInfo[] {
  return [...surfaces.slice(0, -1), docs(surfaces)].flatMap((surface) =>
    surface.endpoints.map((one) => infoOf(surface, one)),
  )
}
