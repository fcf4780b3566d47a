import { surface } from '../../gateway/surface.ts'
import { reviewers } from './access.ts'
import * as activities from './activities.ts'
import * as agents from './agents.ts'
import * as approvals from './approvals.ts'
import * as versions from './versions.ts'
import * as feed from './feed.ts'
import { overview } from './overview.ts'
import * as events from './events.ts'
import * as team from './team.ts'
import * as blog from './blog.ts'
import * as reports from './reports.ts'

/** The reviewers' portal, over all tenants that they are assigned to or the one in `tenantId`. */
export const dm = surface({
  name: 'dm',
  prefix: '/dm/v1',
  access: reviewers,
  tenant: 'query',
  limits: { perMinute: 600, burst: 120, by: 'user' },
  concurrency: 20,
  endpoints: [
    activities.list,
    activities.detail,
    activities.brief,
    activities.cancel,
    activities.comments,
    activities.comment,
    activities.log,
    activities.pause,
    activities.reassign,
    activities.resume,
    activities.retry,
    activities.live,
    agents.list,
    agents.queues,
    agents.detail,
    agents.clearError,
    agents.pause,
    agents.resume,
    agents.run,
    approvals.list,
    approvals.detail,
    approvals.resolve,
    approvals.sendToClient,
    approvals.escalate,
    approvals.resolveSeveral,
    approvals.claim,
    approvals.release,
    approvals.next,
    approvals.statistics,
    versions.list,
    versions.detail,
    versions.diff,
    feed.list,
    feed.dismiss,
    feed.snooze,
    overview,
    events.live,
    team.list,
    team.reassign,
    blog.list,
    blog.detail,
    blog.approve,
    blog.reject,
    reports.list,
    reports.order,
    reports.detail,
    reports.deliver,
    reports.retry,
  ],
})
