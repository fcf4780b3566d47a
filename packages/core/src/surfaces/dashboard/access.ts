import { access } from '../../gateway/access.ts'

/** Everybody of a tenant's marketing team. */
export const team = access({ roles: ['admin', 'member'], app: 'dashboard' })
/** Those of the team who decide and configure. */
export const admins = access({ roles: ['admin'], app: 'dashboard' })
