import { type EndpointInfo, infoOf } from '../gateway/info.ts'
import { docs } from './root/docs.ts'
import { surfaces } from './surfaces.ts'

/** All endpoints, surface by surface. */
export function describeSurfaces(): EndpointInfo[] {
  return [...surfaces.slice(0, -1), docs(surfaces)].flatMap((surface) =>
    surface.endpoints.map((one) => infoOf(surface, one)),
  )
}
