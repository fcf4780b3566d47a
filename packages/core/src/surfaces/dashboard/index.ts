import { endpointsOf, surface } from '../../gateway/surface.ts'
import { team as everybody } from './access.ts'
import * as activities from './activities.ts'
import * as agents from './agents.ts'
import * as analytics from './analytics.ts'
import * as approvals from './approvals.ts'
import * as blogRequests from './blog-requests.ts'
import * as calendar from './calendar.ts'
import * as campaigns from './campaigns.ts'
import * as channels from './channels.ts'
import * as chat from './chat.ts'
import * as deliverables from './deliverables.ts'
import * as events from './events.ts'
import * as feed from './feed.ts'
import * as integrations from './integrations.ts'
import * as knowledgeBase from './knowledge-base.ts'
import * as leadForms from './lead-forms.ts'
import * as leads from './leads.ts'
import * as mailings from './mailings.ts'
import * as orgChart from './org-chart.ts'
import * as paidAds from './paid-ads.ts'
import * as publications from './publications.ts'
import * as reports from './reports.ts'
import * as skills from './skills.ts'
import * as socialRequests from './social-requests.ts'
import * as team from './team.ts'
import * as versions from './versions.ts'

/** The web app of a tenant's marketing team. The tenant is the token's; callers never name one. */
export const dashboard = surface({
  name: 'dashboard',
  prefix: '/dashboard/v1',
  access: everybody,
  tenant: 'claim',
  limits: { perMinute: 300, burst: 60, by: 'user' },
  concurrency: 10,
  endpoints: endpointsOf(
    activities,
    agents,
    analytics,
    approvals,
    blogRequests,
    calendar,
    campaigns,
    channels,
    chat,
    deliverables,
    events,
    feed,
    integrations,
    knowledgeBase,
    leadForms,
    leads,
    mailings,
    orgChart,
    paidAds,
    publications,
    reports,
    skills,
    socialRequests,
    team,
    versions,
  ),
})
