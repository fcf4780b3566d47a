import { access } from '../../gateway/access.ts'

/** Those who run the platform. */
export const operators = access({ roles: ['super_admin'], app: 'manage' })
