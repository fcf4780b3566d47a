import { surface } from '../../gateway/surface.ts'
import { team as everybody } from './access.ts'
import * as activities from './activities.ts'
import * as agents from './agents.ts'
import * as analytics from './analytics.ts'
import * as approvals from './approvals.ts'
import * as campaigns from './campaigns.ts'
import * as channels from './channels.ts'
import * as deliverables from './deliverables.ts'
import * as events from './events.ts'
import * as feed from './feed.ts'
import * as reports from './reports.ts'
import * as requests from './requests.ts'
import * as skills from './skills.ts'
import * as versions from './versions.ts'
import * as team from './team.ts'

/** The web app of a tenant's marketing team. The tenant is the token's; callers never name one. */
export const dashboard = surface({
  name: 'dashboard',
  prefix: '/dashboard/v1',
  access: everybody,
  tenant: 'claim',
  limits: { perMinute: 300, burst: 60, by: 'user' },
  concurrency: 10,
  endpoints: [
    activities.queue,
    activities.list,
    activities.detail,
    activities.comments,
    activities.comment,
    activities.brief,
    activities.output,
    activities.retry,
    activities.live,
    versions.list,
    versions.detail,
    versions.diff,
    agents.list,
    agents.detail,
    agents.change,
    agents.test,
    agents.versions,
    agents.version,
    agents.restore,
    analytics.performance,
    analytics.spend,
    approvals.list,
    approvals.detail,
    approvals.resolve,
    approvals.stats,
    approvals.hours,
    approvals.setHours,
    requests.listBlog,
    requests.createBlog,
    campaigns.list,
    campaigns.create,
    campaigns.detail,
    campaigns.change,
    campaigns.archive,
    channels.list,
    channels.connect,
    channels.disconnect,
    deliverables.listForCampaign,
    deliverables.activities,
    events.live,
    feed.list,
    feed.dismiss,
    feed.snooze,
    reports.list,
    reports.detail,
    skills.list,
    skills.create,
    skills.detail,
    skills.change,
    skills.remove,
    skills.versions,
    skills.version,
    skills.restore,
    team.orgChart,
    team.list,
    team.invite,
    team.changeMember,
    team.remove,
    requests.listSocial,
    requests.createSocial,
  ],
})
