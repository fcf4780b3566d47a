import { loadSurfaces } from './load.ts'
import { root } from './root/index.ts'

/** All surfaces of the service, loaded. Routes, OpenAPI, the typed client and the generated tests are derived from this list. */
export const surfaces = [...(await loadSurfaces()), root]
