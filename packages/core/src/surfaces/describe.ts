import { type EndpointInfo, infoOf } from '../gateway/info.ts'
import { toOpenApi } from '../gateway/openapi.ts'
import { version } from '../platform/version.ts'
import { docs } from './root/docs.ts'
import { surfaces } from './surfaces.ts'

const all = [...surfaces.slice(0, -1), docs(async () => surfaces)]

/** All endpoints, surface by surface. */
export function describeSurfaces(): EndpointInfo[] {
  return all.flatMap((surface) => surface.endpoints.map((one) => infoOf(surface, one)))
}

/** The OpenAPI 3.1 document of them. @param baseUrl where requests go */
export function openApiDocument(baseUrl: string): object {
  return toOpenApi(all, { title: 'Copydesk', version, servers: [{ url: baseUrl }] })
}
