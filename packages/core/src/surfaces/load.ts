import type { LaterSurface } from '../gateway/doors.ts'
import type { EndpointInfo } from '../gateway/info.ts'
import type { AnySurface } from '../gateway/surface.ts'

/** Every surface with a prefix, which is `/NAME/v1`. The code of each is loaded when the first request for it comes. */
export const laterSurfaces = [
  later('auth', async () => (await import('./auth/index.ts')).auth),
  later('dashboard', async () => (await import('./dashboard/index.ts')).dashboard),
  later('dm', async () => (await import('./dm/index.ts')).dm),
  later('mobile', async () => (await import('./mobile/index.ts')).mobile),
  later('admin', async () => (await import('./admin/index.ts')).admin),
  later('agent', async () => (await import('./agent/index.ts')).agent),
  later('tenant', async () => (await import('./tenant/index.ts')).tenant),
  later('media', async () => (await import('./media/index.ts')).media),
  later('cli', async () => (await import('./cli/index.ts')).cli),
  later('pg', async () => (await import('./pg/index.ts')).pg),
  later('forms', async () => (await import('./forms/index.ts')).forms),
] as const

function later<S extends AnySurface>(name: S['name'], load: () => Promise<S>) {
  return { name, prefix: `/${name}/v1`, load } satisfies LaterSurface
}

/** The surfaces with a prefix, all of them loaded. */
export const loadSurfaces = () => Promise.all(laterSurfaces.map(({ load }) => load()))

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
