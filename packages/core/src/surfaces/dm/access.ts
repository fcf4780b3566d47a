import { access } from '../../gateway/access.ts'

/** Users who review for many tenants; an admin only when given the reviewers' app. */
export const reviewers = access({ roles: ['reviewer', 'super_admin', 'admin'], app: 'dm-portal' })
