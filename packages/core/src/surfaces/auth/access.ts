import { access } from '../../gateway/access.ts'

/** Every user with a login, in any app. */
export const anybody = access({ roles: ['admin', 'member', 'reviewer', 'super_admin'] })
