import { access } from '../../gateway/access.ts'

/** All users of a tenant's marketing team. */
export const team = access({ roles: ['admin', 'member'], app: 'dashboard' })
/** The users of the team who decide and configure. */
export const admins = access({ roles: ['admin'], app: 'dashboard' })
