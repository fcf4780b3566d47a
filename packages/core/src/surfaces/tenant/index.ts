import { endpointsOf, surface } from '../../gateway/surface.ts'
import { everybody } from './access.ts'
import * as ads from './ads.ts'
import * as agents from './agents.ts'
import * as billing from './billing.ts'
import * as campaignAds from './campaign-ads.ts'
import * as campaignAdvice from './campaign-advice.ts'
import * as campaignChanges from './campaign-changes.ts'
import * as campaignKeywords from './campaign-keywords.ts'
import * as campaignSequences from './campaign-sequences.ts'
import * as campaigns from './campaigns.ts'
import * as chat from './chat.ts'
import * as context from './context.ts'
import * as documents from './documents.ts'
import * as goals from './goals.ts'
import * as knowledge from './knowledge.ts'
import * as notifications from './notifications.ts'
import * as strategy from './strategy.ts'
import * as webhooks from './webhooks.ts'

/**
 * Settings of a tenant for its campaigns, its team and its reviewers. The tenant is the token's; a reviewer
 * with several tenants names it.
 */
export const tenant = surface({
  name: 'tenant',
  prefix: '/tenant/v1',
  access: everybody,
  tenant: 'claim-or-assigned',
  limits: { perMinute: 300, burst: 60, by: 'user' },
  concurrency: 10,
  endpoints: endpointsOf(
    ads,
    agents,
    billing,
    campaignAds,
    campaignAdvice,
    campaignChanges,
    campaignKeywords,
    campaignSequences,
    campaigns,
    chat,
    context,
    documents,
    goals,
    knowledge,
    notifications,
    strategy,
    webhooks,
  ),
})
