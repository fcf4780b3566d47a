import { access } from '../../gateway/access.ts'

const credentials = ['apikey', 'jwt'] as const

/** Our own people at a shell prompt or in a script, who review for many tenants or run the platform. */
export const staff = access({ roles: ['reviewer', 'super_admin'], credentials })

/** Of them, those who run the platform. */
export const superAdmins = access({ roles: ['super_admin'], credentials })
