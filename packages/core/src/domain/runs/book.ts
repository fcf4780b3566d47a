import type { ModelCall, ModelUsage } from '../../platform/models/port.ts'
import type { ActivityRow } from '../activities/entities.ts'
import { command } from '../command.ts'
import type { Command, Ctx } from '../context.ts'
import { type BookedCall, keepCall } from '../models/calls.ts'
import { attemptOf } from './attempt.ts'
import { watchSpending } from './budget.ts'
import type { RunRow } from './entities.ts'
import { lockOwnRunOrProbe } from './own.ts'
import { addEntries, type Place } from './transcript.ts'

/**
 * Books one request to a model on its run, its activity and the bill, with what it wrote. What was spent was spent: it is
 * booked as well when the run has ended meanwhile; of an attempt that was taken over nothing else is kept.
 * @param place where the text stands among what the run has done
 * @throws DomainError `UNAUTHORIZED` for another's run; `NOT_FOUND`
 */
export function bookCall(
  ctx: Ctx,
  runId: string,
  call: ModelCall & { model: string; providerId: string },
  place: Place,
): Promise<void> {
  return command(ctx, async (cmd) => {
    const { run, activity } = await lockOwnRunOrProbe(cmd, runId)
    const { text, ...booked } = call
    const { model, status } = call
    const micros = await addCost(cmd, run, activity, booked)
    const current = attemptOf(cmd, run) === run.attempt
    if (current && status === 'completed') run.model = model
    if (current && text.trim() !== '') {
      const unfinished = status !== 'completed' && { unfinished: true }
      addEntries(cmd, run, [{ type: 'assistant', content: text, metadata: { model, ...unfinished }, place }])
    }
    if (activity && micros > 0) await watchSpending(cmd, run, activity)
  })
}

/** Books what a remote runtime says that its run has used. The caller holds the locks. */
export async function bookUsage(
  cmd: Command,
  run: RunRow,
  activity: ActivityRow | null,
  { usage, durationMs, status }: { usage: ModelUsage; durationMs: number; status: 'completed' | 'failed' },
): Promise<void> {
  const model = run.model ?? ''
  await addCost(cmd, run, activity, { model, providerId: null, usage, durationMs, status })
}

async function addCost(
  cmd: Command,
  run: RunRow,
  activity: ActivityRow | null,
  call: BookedCall,
): Promise<number> {
  const { micros, priced } = await keepCall(cmd, run, call)
  const { inputTokens, outputTokens } = call.usage
  // A model that was never really asked says nothing about the whole.
  if (inputTokens + outputTokens > 0) {
    const first = run.inputTokens + run.outputTokens === 0
    run.priced = first ? priced : run.priced && priced
  }
  run.inputTokens += inputTokens
  run.outputTokens += outputTokens
  run.costMicros += micros
  if (activity) activity.costMicros += micros
  return micros
}

/** Puts a remark of the platform into the transcript of a run. @throws DomainError `UNAUTHORIZED`, `NOT_FOUND` */
export function noteRun(ctx: Ctx, runId: string, content: string, place: Place): Promise<void> {
  return command(ctx, async (cmd) => {
    const { run } = await lockOwnRunOrProbe(cmd, runId)
    addEntries(cmd, run, [{ type: 'system', content, place }])
  })
}
