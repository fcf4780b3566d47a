import { access } from '../../gateway/access.ts'

/** Operators of the platform. */
export const operators = access({ roles: ['super_admin'], app: 'manage' })
