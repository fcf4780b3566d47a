import { access } from '../../gateway/access.ts'

/** The tenant's team, and the reviewers who are assigned to it. */
export const everybody = access({ roles: ['admin', 'member', 'reviewer'], app: ['dashboard', 'dm-portal'] })
/** All users of the tenant's team. */
export const team = access({ roles: ['admin', 'member'], app: 'dashboard' })
/** The users of the team who decide and configure. */
export const admins = access({ roles: ['admin'], app: 'dashboard' })
/** The reviewers alone, who speak for the client. */
export const clients = access({ roles: ['reviewer'], app: ['dashboard', 'dm-portal'] })
