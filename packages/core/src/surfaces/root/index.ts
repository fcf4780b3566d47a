import { publicAccess } from '../../gateway/access.ts'
import { endpointsOf, surface } from '../../gateway/surface.ts'
import * as files from './files.ts'
import * as health from './health.ts'

/** The endpoints outside of every prefix: health checks. */
export const root = surface({
  name: 'root',
  prefix: '',
  access: publicAccess,
  tenant: 'none',
  limits: { perMinute: 300, burst: 60, by: 'ip' },
  endpoints: endpointsOf(files, health),
})
