import { access } from '../../gateway/access.ts'

/** All users of the tenant's team. */
export const team = access({ roles: ['admin', 'member'], app: 'dashboard' })
