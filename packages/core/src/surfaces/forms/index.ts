import { publicAccess } from '../../gateway/access.ts'
import { endpointsOf, surface } from '../../gateway/surface.ts'
import * as submissions from './submissions.ts'
import * as unsubscribing from './unsubscribe.ts'

/** Where the web sites of tenants send their forms. */
export const forms = surface({
  name: 'forms',
  prefix: '/forms/v1',
  access: publicAccess,
  tenant: 'none',
  limits: { perMinute: 60, burst: 20, by: 'ip' },
  endpoints: endpointsOf(submissions, unsubscribing),
})
