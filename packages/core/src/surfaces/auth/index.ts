import { publicAccess } from '../../gateway/access.ts'
import { surface } from '../../gateway/surface.ts'
import { login, logout, me, refresh } from './login.ts'

/** Sessions of all apps. */
export const auth = surface({
  name: 'auth',
  prefix: '/auth/v1',
  access: publicAccess,
  tenant: 'none',
  limits: { perMinute: 60, burst: 0, by: 'ip' },
  endpoints: [login, logout, me, refresh],
})
