import { command } from '../command.ts'
import type { Ctx } from '../context.ts'
import { ToolCall } from './entities.ts'
import { lockRunAtWork } from './own.ts'
import type { Delta, NewToolCall } from './schemas.ts'

/**
 * Takes a piece of text of a remote runtime: told to watchers in the order of `sequenceNum`, which the sequencer restores.
 * Serves `POST /agent/v1/runs/:runId/stream`.
 * @throws DomainError `UNAUTHORIZED`, `NOT_FOUND`
 */
export async function streamDelta(ctx: Ctx, runId: string, delta: Delta): Promise<{ received: true }> {
  const source = await command(ctx, async (cmd) => {
    const { run } = await lockRunAtWork(cmd, runId)
    return { runId, attempt: run.attempt, activityId: run.activityId, tenantId: run.tenantId }
  })
  await ctx.services.deltas.resume(source)
  ctx.services.sequencer.take(source, delta)
  return { received: true }
}

/**
 * Keeps one tool call of a run, for the audit and the bill, and tells watchers. Serves `POST …/tool-call`.
 * @throws DomainError `UNAUTHORIZED`, `NOT_FOUND`
 */
export function reportToolCall(ctx: Ctx, runId: string, call: NewToolCall): Promise<{ toolCallId: string }> {
  return command(ctx, async (cmd) => {
    const { run, activity } = await lockRunAtWork(cmd, runId)
    const micros = Math.round((call.costUsd ?? 0) * 1_000_000)
    const id = cmd.newId()
    cmd.em.create(ToolCall, {
      id,
      tenantId: run.tenantId,
      runId,
      activityId: activity.id,
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
    run.costMicros += micros
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
    return { toolCallId: id }
  })
}
