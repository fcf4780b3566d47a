import { surface } from '../../gateway/surface.ts'
import { operators } from './access.ts'
import * as activityTemplates from './activity-templates.ts'
import * as agentConfigs from './agent-configs.ts'
import * as apiKeys from './api-keys.ts'
import * as blogRequests from './blog-requests.ts'
import * as blogs from './blogs.ts'
import * as cost from './cost.ts'
import * as llmProviders from './llm-providers.ts'
import * as recurring from './recurring-templates.ts'
import * as runs from './runs.ts'
import * as system from './system.ts'
import * as skills from './skills.ts'
import * as tenants from './tenants.ts'
import * as users from './users.ts'

/** The platform's operators, over all tenants; a path names the one that it means. */
export const admin = surface({
  name: 'admin',
  prefix: '/admin/v1',
  access: operators,
  tenant: 'all',
  limits: { perMinute: 120, burst: 24, by: 'user' },
  concurrency: 5,
  endpoints: [
    activityTemplates.list,
    activityTemplates.create,
    activityTemplates.detail,
    activityTemplates.change,
    activityTemplates.setDefault,
    agentConfigs.list,
    agentConfigs.detail,
    agentConfigs.change,
    agentConfigs.push,
    agentConfigs.versions,
    agentConfigs.version,
    agentConfigs.restore,
    apiKeys.create,
    apiKeys.list,
    apiKeys.revoke,
    blogRequests.list,
    blogRequests.detail,
    blogRequests.change,
    blogs.list,
    cost.report,
    llmProviders.list,
    llmProviders.create,
    llmProviders.change,
    llmProviders.remove,
    recurring.list,
    recurring.create,
    recurring.change,
    recurring.archive,
    runs.list,
    runs.detail,
    system.errors,
    system.health,
    system.llmCalls,
    system.queues,
    skills.list,
    skills.create,
    skills.detail,
    skills.change,
    skills.remove,
    skills.versions,
    skills.version,
    skills.restore,
    tenants.list,
    tenants.create,
    tenants.detail,
    tenants.change,
    tenants.activate,
    tenants.auditLog,
    tenants.override,
    tenants.impersonate,
    tenants.reinstate,
    tenants.suspend,
    users.list,
    users.reinstate,
    users.suspend,
  ],
})
