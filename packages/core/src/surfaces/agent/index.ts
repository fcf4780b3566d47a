import { endpointsOf, surface } from '../../gateway/surface.ts'
import { anyAgent } from './access.ts'
import * as actions from './actions.ts'
import * as callback from './callback.ts'
import * as health from './health.ts'
import * as runs from './runs.ts'
import * as sessions from './sessions.ts'
import * as skills from './skills.ts'

/**
 * Agent runtimes. The tenant is the run's, and the token authorizes exactly one run; without an active run
 * the tenant is that of the API key.
 */
export const agent = surface({
  name: 'agent',
  prefix: '/agent/v1',
  access: anyAgent,
  tenant: 'run',
  limits: { perMinute: 60, burst: 0, by: 'run' },
  endpoints: endpointsOf(actions, callback, health, runs, sessions, skills),
})
