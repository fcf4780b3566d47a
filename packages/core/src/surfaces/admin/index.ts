import { surface } from '../../gateway/surface.ts'
import { operators } from './access.ts'
import * as apiKeys from './api-keys.ts'
import * as tenants from './tenants.ts'
import * as users from './users.ts'

/** The platform's operators, over all tenants; a path names the one that it means. */
export const admin = surface({
  name: 'admin',
  prefix: '/admin/v1',
  access: operators,
  tenant: 'all',
  limits: { perMinute: 120, burst: 24, by: 'user' },
  concurrency: 5,
  endpoints: [
    apiKeys.create,
    apiKeys.list,
    apiKeys.revoke,
    tenants.list,
    tenants.create,
    tenants.detail,
    tenants.change,
    tenants.activate,
    tenants.auditLog,
    tenants.override,
    tenants.impersonate,
    tenants.reinstate,
    tenants.suspend,
    users.list,
    users.reinstate,
    users.suspend,
  ],
})
