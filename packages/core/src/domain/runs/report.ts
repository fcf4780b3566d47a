import { command } from '../command.ts'
import type { Ctx } from '../context.ts'
import { toMicros } from '../money.ts'
import { attemptOf } from './attempt.ts'
import { watchSpending } from './budget.ts'
import { ToolCall } from './entities.ts'
import { lockAtWork } from './own.ts'
import type { Delta, NewToolCall } from './schemas.ts'
import { addEntries, type Place, toolEntries } from './transcript.ts'

/**
 * Takes a piece of text of a remote runtime: told to watchers in the order of `sequenceNum`, which the sequencer restores.
 * Serves `POST /agent/v1/runs/:runId/stream`.
 * @throws DomainError `UNAUTHORIZED`, `NOT_FOUND`
 */
export async function streamDelta(ctx: Ctx, runId: string, delta: Delta): Promise<{ received: true }> {
  const { deltas, sequencer } = ctx.services
  await command(ctx, async (cmd) => {
    const { run } = await lockAtWork(cmd, runId)
    const { activityId, tenantId } = run
    const attempt = attemptOf(cmd, run)
    const source = { runId, attempt, activityId, tenantId }
    // Under the lock of the run, so that it comes before the result or not at all. A second try changes nothing.
    await deltas.resume(cmd.tx, source)
    sequencer.take(source, delta)
  })
  return { received: true }
}

/**
 * Keeps one tool call of a run, for the audit and the bill, and tells watchers. Serves `POST …/tool-call`.
 * @param places where question and answer stand among what the run has done; default: now, and as long before as it took
 * @throws DomainError `UNAUTHORIZED`, `NOT_FOUND`
 */
export function reportToolCall(
  ctx: Ctx,
  runId: string,
  call: NewToolCall,
  places?: { asked: Place; answered: Place },
): Promise<{ toolCallId: string }> {
  return command(ctx, async (cmd) => {
    const { run, activity } = await lockAtWork(cmd, runId)
    const micros = toMicros(call.costUsd ?? 0)
    const id = cmd.newId()
    cmd.em.create(ToolCall, {
      id,
      tenantId: run.tenantId,
      runId,
      activityId: run.activityId,
      toolName: call.toolName,
      method: call.method,
      input: call.input ?? null,
      output: call.output ?? null,
      status: call.status,
      error: call.error ?? null,
      durationMs: Math.round(call.durationMs),
      costMicros: micros,
      createdOn: cmd.clock.date(),
    })
    const since = { id: cmd.newId(), at: new Date(cmd.clock.now() - Math.round(call.durationMs)) }
    addEntries(cmd, run, toolEntries(call, places?.asked ?? since, places?.answered))
    run.costMicros += micros
    if (!activity) return { toolCallId: id }
    activity.costMicros += micros
    const about = { tenantId: run.tenantId, subject: activity.id }
    cmd.emit({
      ...about,
      type: 'tool_call',
      data: { activityId: activity.id, name: call.toolName, input: call.input ?? null },
    })
    cmd.emit({
      ...about,
      type: 'tool_result',
      data: { activityId: activity.id, name: call.toolName, output: call.output ?? call.error ?? null },
    })
    cmd.audit({
      tenantId: run.tenantId,
      resourceType: 'run',
      resourceId: runId,
      after: { toolName: call.toolName, status: call.status },
      action: 'run.tool_call',
    })
    if (micros > 0) await watchSpending(cmd, run, activity)
    return { toolCallId: id }
  })
}
