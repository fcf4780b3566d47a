import { endpointsOf, surface } from '../../gateway/surface.ts'
import { everybody } from './access.ts'
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
  endpoints: endpointsOf(chat, context, documents, goals, knowledge, notifications, strategy, webhooks),
})
