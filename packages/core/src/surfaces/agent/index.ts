import { surface } from '../../gateway/surface.ts'
import { anyAgent } from './access.ts'
import * as actions from './actions.ts'
import * as health from './health.ts'
import * as runs from './runs.ts'
import * as sessions from './sessions.ts'
import * as skills from './skills.ts'

/**
 * Agent runtimes. The tenant is the run's, and the token speaks for exactly one run; where no run is in progress it is the
 * one that the API key stands for.
 */
export const agent = surface({
  name: 'agent',
  prefix: '/agent/v1',
  access: anyAgent,
  tenant: 'run',
  limits: { perMinute: 60, burst: 0, by: 'run' },
  endpoints: [
    runs.callback,
    runs.watch,
    health.check,
    health.probe,
    actions.addComment,
    actions.createApproval,
    actions.createSubtask,
    actions.reassign,
    actions.reportBlocker,
    actions.requestReview,
    runs.context,
    runs.heartbeat,
    runs.result,
    runs.status,
    runs.delta,
    runs.toolCall,
    sessions.put,
    sessions.latest,
    skills.manifest,
    skills.text,
  ],
})
