import { surface } from '../../gateway/surface.ts'
import { agents } from './access.ts'
import * as actions from './actions.ts'
import * as runs from './runs.ts'

/** Agent runtimes. The tenant is the run's; the token speaks for exactly one run. */
export const agent = surface({
  name: 'agent',
  prefix: '/agent/v1',
  access: agents,
  tenant: 'run',
  limits: { perMinute: 60, burst: 0, by: 'run' },
  endpoints: [
    runs.callback,
    actions.addComment,
    actions.createApproval,
    actions.createSubtask,
    actions.reassign,
    actions.reportBlocker,
    actions.requestReview,
    runs.context,
    runs.result,
    runs.status,
    runs.delta,
    runs.toolCall,
  ],
})
