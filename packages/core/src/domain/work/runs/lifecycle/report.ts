import type { Ctx } from '../../../../kernel/context.ts'
import { toMicros } from '../../../../kernel/money.ts'
import { transact } from '../../../../kernel/transact.ts'
import { watchSpending } from '../budget/budget.ts'
import { ToolCall } from '../entities.ts'
import { toolCalled, toolReturned } from '../events.ts'
import { attemptOf } from '../queue/lease.ts'
import { lockAtWork } from './authorize-run.ts'
import type { Delta, NewToolCall } from './schemas.ts'
import { addEntries, type TranscriptCursor, toolEntries } from './transcript.ts'

/**
 * Takes a piece of text of a remote runtime: told to watchers in the order of `sequenceNum`, which the sequencer restores.
 * Serves `POST /agent/v1/runs/:runId/stream`.
 * @throws DomainError `UNAUTHORIZED`, `NOT_FOUND`
 */
export async function streamDelta(ctx: Ctx, runId: string, delta: Delta): Promise<{ received: true }> {
  const { deltas, sequencer } = ctx.services
  await transact(ctx, async (txn) => {
    const { run } = await lockAtWork(txn, runId)
    const { activityId, tenantId } = run
    const attempt = attemptOf(txn, run)
    const source = { runId, attempt, activityId, tenantId }
    // Under the lock of the run, so that it comes before the result or not at all. A second try changes nothing.
    await deltas.resume(txn.tx, source)
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
  places?: { asked: TranscriptCursor; answered: TranscriptCursor },
): Promise<{ toolCallId: string }> {
  return transact(ctx, async (txn) => {
    const { run, activity } = await lockAtWork(txn, runId)
    const micros = toMicros(call.costUsd ?? 0)
    const id = txn.newId()
    txn.em.create(ToolCall, {
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
      createdOn: txn.clock.date(),
    })
    const since = { id: txn.newId(), at: new Date(txn.clock.now() - Math.round(call.durationMs)) }
    addEntries(txn, run, toolEntries(call, places?.asked ?? since, places?.answered))
    run.costMicros += micros
    if (!activity) return { toolCallId: id }
    activity.costMicros += micros
    const about = { tenantId: run.tenantId, subject: activity.id }
    txn.emit(toolCalled, {
      ...about,
      data: { activityId: activity.id, name: call.toolName, input: call.input ?? null },
    })
    txn.emit(toolReturned, {
      ...about,
      data: { activityId: activity.id, name: call.toolName, output: call.output ?? call.error ?? null },
    })
    txn.audit({
      tenantId: run.tenantId,
      resourceType: 'run',
      resourceId: runId,
      after: { toolName: call.toolName, status: call.status },
      action: 'run.tool_call',
    })
    if (micros > 0) await watchSpending(txn, run, activity)
    return { toolCallId: id }
  })
}
