import { endpointsOf, surface } from '../../gateway/surface.ts'
import { team } from './access.ts'
import * as activities from './activities.ts'
import * as analytics from './analytics.ts'
import * as approvals from './approvals.ts'
import * as campaigns from './campaigns.ts'
import * as channels from './channels.ts'
import * as events from './events.ts'
import * as home from './home.ts'
import * as notifications from './notifications.ts'
import * as push from './push.ts'

/** The mobile app of a tenant's team: small replies, pages by offset, and 304 for unchanged data. */
export const mobile = surface({
  name: 'mobile',
  prefix: '/mobile/v1',
  access: team,
  tenant: 'claim',
  limits: { perMinute: 200, burst: 40, by: 'user' },
  concurrency: 8,
  conditional: true,
  endpoints: endpointsOf(
    activities,
    analytics,
    approvals,
    campaigns,
    channels,
    events,
    home,
    notifications,
    push,
  ),
})
