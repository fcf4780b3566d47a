import { surface } from '../../gateway/surface.ts'
import { team } from './access.ts'
import * as activities from './activities.ts'
import * as analytics from './analytics.ts'
import * as approvals from './approvals.ts'
import * as campaigns from './campaigns.ts'
import * as events from './events.ts'
import * as home from './home.ts'
import * as notifications from './notifications.ts'
import * as push from './push.ts'

/** The mobile app of a tenant's team: short answers, by offset, and 304 for what the app has already. */
export const mobile = surface({
  name: 'mobile',
  prefix: '/mobile/v1',
  access: team,
  tenant: 'claim',
  limits: { perMinute: 200, burst: 40, by: 'user' },
  concurrency: 8,
  conditional: true,
  endpoints: [
    activities.list,
    activities.detail,
    activities.comment,
    activities.output,
    activities.live,
    analytics.spend,
    approvals.list,
    approvals.detail,
    approvals.resolve,
    campaigns.list,
    campaigns.detail,
    events.live,
    home.get,
    notifications.list,
    notifications.read,
    push.register,
    push.change,
    push.remove,
  ],
})
