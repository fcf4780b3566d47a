import { surface } from '../../gateway/surface.ts'
import { everybody } from './access.ts'
import * as context from './context.ts'
import * as documents from './documents.ts'
import * as goals from './goals.ts'
import * as notifications from './notifications.ts'
import * as strategy from './strategy.ts'
import * as webhooks from './webhooks.ts'

/**
 * What a tenant sets for all of its work, for its team and for reviewers. The tenant is the token's; a reviewer names it
 * where there are several.
 */
export const tenant = surface({
  name: 'tenant',
  prefix: '/tenant/v1',
  access: everybody,
  tenant: 'claim-or-assigned',
  limits: { perMinute: 300, burst: 60, by: 'user' },
  concurrency: 10,
  endpoints: [
    context.get,
    context.put,
    context.versions,
    context.version,
    context.restore,
    documents.list,
    documents.create,
    documents.detail,
    documents.content,
    documents.remove,
    goals.list,
    goals.create,
    goals.detail,
    goals.change,
    goals.remove,
    notifications.list,
    notifications.read,
    notifications.preferences,
    notifications.setPreferences,
    notifications.live,
    strategy.get,
    strategy.put,
    strategy.generate,
    strategy.versions,
    strategy.version,
    strategy.restore,
    webhooks.list,
    webhooks.create,
    webhooks.detail,
    webhooks.change,
    webhooks.remove,
    webhooks.rotate,
    webhooks.test,
    webhooks.deliveries,
    webhooks.replay,
  ],
})
