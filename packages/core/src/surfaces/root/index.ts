import { publicAccess } from '../../gateway/access.ts'
import { surface } from '../../gateway/surface.ts'
import { report } from './files.ts'
import { arrival, health, ready } from './health.ts'

/** What stands outside of every prefix: whether the service is well. */
export const root = surface({
  name: 'root',
  prefix: '',
  access: publicAccess,
  tenant: 'none',
  limits: { perMinute: 300, burst: 60, by: 'ip' },
  endpoints: [health, ready, arrival, report],
})
