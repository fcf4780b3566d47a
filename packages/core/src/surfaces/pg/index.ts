import { publicAccess } from '../../gateway/access.ts'
import { delegate } from '../../gateway/delegate.ts'
import { endpointsOf, surface } from '../../gateway/surface.ts'
import * as admin from '../admin/billing.ts'

export const webhook = delegate(admin.webhook, {
  id: 'pg.webhook',
  route: 'POST /webhook',
  access: publicAccess,
})

/** What the payment provider calls; wide enough for all that it kept back during an outage. */
export const pg = surface({
  name: 'pg',
  prefix: '/pg/v1',
  access: publicAccess,
  tenant: 'none',
  limits: { perMinute: 3_000, burst: 600, by: 'ip' },
  endpoints: endpointsOf({ webhook }),
})
