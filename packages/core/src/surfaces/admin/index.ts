import { endpointsOf, surface } from '../../gateway/surface.ts'
import { operators } from './access.ts'
import * as activityTemplates from './activity-templates.ts'
import * as adLimits from './ad-limits.ts'
import * as agentConfigs from './agent-configs.ts'
import * as apiKeys from './api-keys.ts'
import * as billing from './billing.ts'
import * as blogRequests from './blog-requests.ts'
import * as blogs from './blogs.ts'
import * as cost from './cost.ts'
import * as deliverables from './deliverables.ts'
import * as emailTemplates from './email-templates.ts'
import * as invoices from './invoices.ts'
import * as llmProviders from './llm-providers.ts'
import * as mail from './mail.ts'
import * as recurringTemplates from './recurring-templates.ts'
import * as runs from './runs.ts'
import * as skills from './skills.ts'
import * as system from './system.ts'
import * as tenants from './tenants.ts'
import * as users from './users.ts'

/** The platform's operators, over all tenants; a path names the tenant. */
export const admin = surface({
  name: 'admin',
  prefix: '/admin/v1',
  access: operators,
  tenant: 'all',
  limits: { perMinute: 120, burst: 24, by: 'user' },
  concurrency: 5,
  endpoints: endpointsOf(
    activityTemplates,
    adLimits,
    agentConfigs,
    apiKeys,
    billing,
    blogRequests,
    blogs,
    cost,
    deliverables,
    emailTemplates,
    invoices,
    llmProviders,
    mail,
    recurringTemplates,
    runs,
    skills,
    system,
    tenants,
    users,
  ),
})
