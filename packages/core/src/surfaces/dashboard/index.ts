import { surface } from '../../gateway/surface.ts'
import { team } from './access.ts'
import * as activities from './activities.ts'
import * as approvals from './approvals.ts'
import * as campaigns from './campaigns.ts'
import * as deliverables from './deliverables.ts'
import * as events from './events.ts'

/** The web app of a tenant's marketing team. The tenant is the token's; callers never name one. */
export const dashboard = surface({
  name: 'dashboard',
  prefix: '/dashboard/v1',
  access: team,
  tenant: 'claim',
  limits: { perMinute: 300, burst: 60, by: 'user' },
  concurrency: 10,
  endpoints: [
    activities.list,
    activities.detail,
    activities.comments,
    activities.comment,
    activities.output,
    activities.retry,
    activities.live,
    approvals.list,
    approvals.detail,
    approvals.resolve,
    approvals.stats,
    campaigns.list,
    campaigns.create,
    campaigns.detail,
    campaigns.change,
    campaigns.archive,
    deliverables.listForCampaign,
    deliverables.activities,
    events.live,
  ],
})
