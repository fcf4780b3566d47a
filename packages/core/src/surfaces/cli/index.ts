import { surface } from '../../gateway/surface.ts'
import { staff } from './access.ts'
import * as activities from './activities.ts'
import * as agents from './agents.ts'
import * as approvals from './approvals.ts'
import * as consents from './consents.ts'
import * as feed from './feed.ts'
import { ask } from './language.ts'
import * as tenants from './tenants.ts'

/** The terminal and the scripts of staff, over all tenants that they are assigned to or the one that is named. */
export const cli = surface({
  name: 'cli',
  prefix: '/cli/v1',
  access: staff,
  tenant: 'query-or-header',
  limits: { perMinute: 1_200, burst: 240, by: 'user' },
  concurrency: 15,
  endpoints: [
    tenants.status,
    tenants.list,
    tenants.costs,
    tenants.impersonate,
    tenants.me,
    activities.queue,
    activities.list,
    activities.detail,
    activities.brief,
    activities.log,
    activities.live,
    activities.pause,
    activities.resume,
    activities.retry,
    activities.cancel,
    activities.reassign,
    activities.comments,
    activities.comment,
    activities.versions,
    activities.version,
    activities.diff,
    agents.list,
    agents.queues,
    agents.detail,
    agents.run,
    agents.pause,
    agents.resume,
    agents.clearError,
    approvals.list,
    approvals.next,
    approvals.statistics,
    approvals.resolveAll,
    approvals.detail,
    approvals.resolve,
    approvals.escalate,
    approvals.sendToClient,
    approvals.claim,
    approvals.release,
    feed.list,
    feed.dismiss,
    feed.snooze,
    feed.live,
    ask,
    consents.list,
    consents.request,
    consents.detail,
    consents.answer,
    consents.use,
  ],
})
