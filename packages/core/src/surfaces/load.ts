import type { EndpointInfo } from '../gateway/info.ts'

/** All surfaces. Their code is loaded when the first request for one comes, unless `loadRest` has been called. */
export const loadSurfaces = async () => (await import('./surfaces.ts')).surfaces

/**
 * The OpenAPI 3.1 document of everything that is served. Needs no database.
 * @param baseUrl where requests go
 */
export async function openApiDocument(baseUrl: string): Promise<object> {
  return (await import('./describe.ts')).openApiDocument(baseUrl)
}

/** Every endpoint with its surface, access and codes. Needs no database. */
export async function describeSurfaces(): Promise<EndpointInfo[]> {
  return (await import('./describe.ts')).describeSurfaces()
}
