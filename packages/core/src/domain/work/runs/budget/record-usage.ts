import type { Ctx, Transaction } from '../../../../kernel/context.ts'
import { transact } from '../../../../kernel/transact.ts'
import type { ModelCall, ModelUsage } from '../../../../platform/models/port.ts'
import { type BookedCall, saveCall } from '../../../agents/models/calls.ts'
import type { ActivityRow } from '../../activities/entities.ts'
import type { RunRow } from '../entities.ts'
import { lockOwnRunOrProbe, type OwnRun } from '../lifecycle/authorize-run.ts'
import { addEntries, type TranscriptCursor } from '../lifecycle/transcript.ts'
import { attemptOf } from '../queue/lease.ts'
import { watchSpending } from './budget.ts'

/** A request to a model that belongs to a run. */
export interface RunCall extends ModelCall {
  /** ULID of the booking: there is one of it, however often it is tried. */
  id: string
  model: string
  providerId: string
  /** Where the text stands among what the run has done. */
  place: TranscriptCursor
}

/**
 * Books one request to a model on its run, its activity and the bill, with what it wrote. What was spent was spent: it is
 * booked as well when the run has ended meanwhile; of an attempt that was taken over nothing else is kept.
 * @throws DomainError `UNAUTHORIZED` for another's run; `NOT_FOUND`
 */
export function bookCall(ctx: Ctx, runId: string, call: RunCall): Promise<void> {
  return transact(ctx, async (txn) => bookLocked(txn, await lockOwnRunOrProbe(txn, runId), call))
}

/** The same for who holds the locks. */
export async function bookLocked(
  txn: Transaction,
  { run, activity }: OwnRun,
  { text, place, ...booked }: RunCall,
): Promise<void> {
  const { model, status } = booked
  const micros = await addCost(txn, run, activity, booked)
  const current = attemptOf(txn, run) === run.attempt
  if (current && status === 'completed') run.model = model
  if (current && text.trim() !== '') {
    const unfinished = status !== 'completed' && { unfinished: true }
    addEntries(txn, run, [{ type: 'assistant', content: text, metadata: { model, ...unfinished }, place }])
  }
  if (activity && micros > 0) await watchSpending(txn, run, activity)
}

/** Books what a remote runtime says that its run has used. The caller holds the locks. */
export async function bookUsage(
  txn: Transaction,
  run: RunRow,
  activity: ActivityRow | null,
  { usage, durationMs, status }: { usage: ModelUsage; durationMs: number; status: 'completed' | 'failed' },
): Promise<void> {
  const model = run.model ?? ''
  await addCost(txn, run, activity, { model, providerId: null, usage, durationMs, status })
}

/** Books a request on its run and its activity. The caller holds the locks. @returns micro-dollars */
export async function addCost(
  txn: Transaction,
  run: RunRow,
  activity: ActivityRow | null,
  call: BookedCall,
): Promise<number> {
  const { micros, priced } = await saveCall(txn, run, call)
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
export function noteRun(ctx: Ctx, runId: string, content: string, place: TranscriptCursor): Promise<void> {
  return transact(ctx, async (txn) => {
    const { run } = await lockOwnRunOrProbe(txn, runId)
    addEntries(txn, run, [{ type: 'system', content, place }])
  })
}
