import type { z } from 'zod'
import { admins, deciders, members, rule } from './api-rules.ts'
import { configureAgent } from './domain/agents/config.ts'
import { getAgent, listOwnAgents } from './domain/agents/list-queries.ts'
import {
  agentHistory,
  agentVersion,
  changeAgent,
  restoreAgent,
  testAgent,
} from './domain/agents/own-agents.ts'
import { getAgentForReview, listAgentStates } from './domain/agents/review-queries.ts'
import { AgentPause, ErrorClearance, ManualRun } from './domain/agents/review-schemas.ts'
import { runAgent } from './domain/agents/run-now.ts'
import { AgentChanges } from './domain/agents/schemas.ts'
import { clearAgentError, pauseAgent, resumeAgent } from './domain/agents/steer.ts'
import { check } from './domain/check.ts'
import { listQueues } from './domain/runs/queue-queries.ts'

/** What people do with agents, and reviewers over all their tenants. */
export const agentServices = {
  list: rule(members, listOwnAgents),
  get: rule(members, getAgent),
  configure: rule(admins, configureAgent),
  change: rule(admins, (ctx, role: string, changes: AgentChanges) =>
    changeAgent(ctx, role, check(AgentChanges, changes)),
  ),
  test: rule(members, testAgent),
  versions: rule(members, agentHistory),
  version: rule(members, agentVersion),
  restore: rule(admins, restoreAgent),
  listForReview: rule(deciders, listAgentStates),
  getForReview: rule(deciders, getAgentForReview),
  queues: rule(deciders, listQueues),
  run: rule(deciders, (ctx, role: string, task: z.input<typeof ManualRun>) =>
    runAgent(ctx, role, check(ManualRun, task)),
  ),
  pause: rule(deciders, (ctx, tenantId: string, role: string, pause: z.input<typeof AgentPause> = {}) =>
    pauseAgent(ctx, tenantId, role, check(AgentPause, pause)),
  ),
  resume: rule(deciders, resumeAgent),
  clearError: rule(
    deciders,
    (ctx, tenantId: string, role: string, clearance: z.input<typeof ErrorClearance> = {}) =>
      clearAgentError(ctx, tenantId, role, check(ErrorClearance, clearance)),
  ),
}
