import { command } from '../command.ts'
import type { Ctx } from '../context.ts'
import { DomainError, notFound } from '../errors.ts'
import { skillsOf } from '../skills/queries.ts'
import { Run } from './entities.ts'
import { lockAtWork, requireOwnRun } from './own.ts'
import type { RunContext, RunState } from './schemas.ts'
import { effectiveAgent } from '../agents/effective-queries.ts'
import { assignment } from './prompt.ts'

/**
 * All that an agent needs to know for its run. Serves `GET /agent/v1/runs/:runId/context`.
 * @throws DomainError `UNAUTHORIZED` for another's run and one that has ended; `NOT_FOUND`
 */
export function runContext(ctx: Ctx, runId: string): Promise<RunContext> {
  return command(ctx, async (cmd) => {
    const { run, activity } = await lockAtWork(cmd, runId)
    const agent = await effectiveAgent(cmd, run.tenantId, run.agentRole)
    if (!agent) throw new DomainError('NOT_FOUND', `The agent ${run.agentRole} is not enabled`)
    const skills = activity ? await skillsOf(cmd, run.tenantId, agent.skillIds) : []
    const work = activity && (await assignment(cmd, run, activity, agent))
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
      model: run.model ?? cmd.services.models.nameFor(agent.model),
      maxTurns: agent.adapterConfig.maxTurnsPerRun,
      timeoutMs: agent.adapterConfig.timeoutSec * 1000,
    }
  })
}

/** Where a run stands and how long its token lives. Serves `GET /agent/v1/runs/:runId/status`. */
export function runState(ctx: Ctx, runId: string): Promise<RunState> {
  requireOwnRun(ctx, runId)
  return command(ctx, async (cmd) => {
    const run = await cmd.em.findOne(Run, { id: runId })
    if (!run) throw notFound('run')
    return {
      runId: run.id,
      status: run.status,
      ...(run.startedAt && { startedAt: run.startedAt }),
      expiresAt: run.deadline ?? run.createdOn,
    }
  })
}
