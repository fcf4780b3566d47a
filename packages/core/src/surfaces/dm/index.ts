import { endpointsOf, surface } from '../../gateway/surface.ts'
import { reviewers } from './access.ts'
import * as activities from './activities.ts'
import * as agents from './agents.ts'
import * as approvals from './approvals.ts'
import * as blog from './blog.ts'
import * as campaigns from './campaigns.ts'
import * as events from './events.ts'
import * as feed from './feed.ts'
import * as kb from './kb.ts'
import * as notifications from './notifications.ts'
import * as overview from './overview.ts'
import * as reports from './reports.ts'
import * as team from './team.ts'
import * as versions from './versions.ts'

/** The reviewers' portal, over all assigned tenants or the one in `tenantId`. */
export const dm = surface({
  name: 'dm',
  prefix: '/dm/v1',
  access: reviewers,
  tenant: 'query',
  limits: { perMinute: 600, burst: 120, by: 'user' },
  concurrency: 20,
  endpoints: endpointsOf(
    activities,
    agents,
    approvals,
    blog,
    campaigns,
    events,
    feed,
    kb,
    notifications,
    overview,
    reports,
    team,
    versions,
  ),
})
