import { access } from '../../gateway/access.ts'

/** Every person who has logged in, in whatever app. */
export const anybody = access({ roles: ['admin', 'member', 'reviewer', 'super_admin'] })
