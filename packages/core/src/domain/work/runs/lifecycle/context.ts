import type { Ctx } from '../../../../kernel/context.ts'
import { DomainError, notFound } from '../../../../kernel/errors.ts'
import { transact } from '../../../../kernel/transact.ts'
import { effectiveAgent } from '../../../agents/configuration/effective-queries.ts'
import { skillsOf } from '../../../agents/skills/queries.ts'
import { Run } from '../entities.ts'
import { lockAtWork, requireOwnRun } from './authorize-run.ts'
import { assignment } from './prompt.ts'
import type { RunContext, RunState } from './schemas.ts'

/**
 * All that an agent needs to know for its run. Serves `GET /agent/v1/runs/:runId/context`.
 * @throws DomainError `UNAUTHORIZED` for another's run and one that has ended; `NOT_FOUND`
 */
export function runContext(ctx: Ctx, runId: string): Promise<RunContext> {
  return transact(ctx, async (txn) => {
    const { run, activity } = await lockAtWork(txn, runId)
    const agent = await effectiveAgent(txn, run.tenantId, run.agentRole)
    if (!agent) throw new DomainError('NOT_FOUND', `The agent ${run.agentRole} is not enabled`)
    const skills = activity ? await skillsOf(txn, run.tenantId, agent.skillIds) : []
    const work = activity && (await assignment(txn, run, activity, agent))
    const { prompt = '', systemPrompt = '', priorOutput } = work ?? {}
    return {
      runId: run.id,
      activityId: run.activityId,
      tenantId: run.tenantId,
      agentRole: run.agentRole,
      wakeReason: run.wakeReason,
      prompt: run.prompt ?? prompt,
      systemPrompt: run.systemPrompt ?? systemPrompt,
      skills: skills.map(({ name, content }) => ({ name, content })),
      ...(priorOutput !== undefined && { priorOutput }),
      ...run.wakeNote,
      model: run.model ?? txn.services.models.nameFor(agent.model),
      maxTurns: agent.adapterConfig.maxTurnsPerRun,
      timeoutMs: agent.adapterConfig.timeoutSec * 1000,
    }
  })
}

/** Where a run stands and how long its token lives. Serves `GET /agent/v1/runs/:runId/status`. */
export function runState(ctx: Ctx, runId: string): Promise<RunState> {
  requireOwnRun(ctx, runId)
  return transact(ctx, async (txn) => {
    const run = await txn.em.findOne(Run, { id: runId })
    if (!run) throw notFound('run')
    return {
      runId: run.id,
      status: run.status,
      ...(run.startedAt && { startedAt: run.startedAt }),
      expiresAt: run.deadline ?? run.createdOn,
    }
  })
}
