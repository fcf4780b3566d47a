import { LockMode } from '@mikro-orm/core'
import type { Ctx, Transaction } from '../../../../kernel/context.ts'
import { transact } from '../../../../kernel/transact.ts'
import { type FailureFamily } from '../../../agents/models/entities.ts'
import { lockActivity } from '../../activities/state.ts'
import { Run, type RunRow } from '../entities.ts'
import { backoffMs, longestWaitMs, noteFailure } from '../lifecycle/failure.ts'
import type { Dispatch } from '../lifecycle/start.ts'
import { maxAttempts, waitAgain } from './recover.ts'

/** Why a dispatch has come to nothing. */
export interface Refusal {
  family?: FailureFamily
  message?: string
  retryAfterMs?: number
}

/**
 * Keeps a dispatch that came to nothing from ending a run that another attempt may still bring to an end: a newer one is on its
 * way, or an older one may be at a runtime. Then the run waits for another try, since the refusal may come from the very runtime
 * that is busy with it.
 * @param refusal undefined where the process itself has given up
 * @returns false where there is no such attempt, and the run has failed
 */
export function isLeftToOthers(
  ctx: Ctx,
  { runId, attempt }: Dispatch,
  refusal: Refusal | undefined,
): Promise<boolean> {
  return transact(ctx, async (txn) => {
    const known = await txn.em.findOneOrFail(Run, { id: runId })
    if (known.purpose !== 'work') return false
    await lockActivity(txn, known.activityId)
    const lockMode = LockMode.PESSIMISTIC_WRITE
    const run = await txn.em.findOneOrFail(Run, { id: runId }, { lockMode, refresh: true })
    if (!run.open) return false
    if (run.attempt > attempt) return true
    return refusal !== undefined && waitForOlder(txn, run, refusal)
  })
}

function waitForOlder(
  txn: Transaction,
  run: RunRow,
  { family, message, retryAfterMs = 0 }: Refusal,
): boolean {
  const { adapter, status, attempt, fence, handedOverAt } = run
  const hasOlder = adapter === 'adapter_b' && handedOverAt === null && fence < attempt - 1
  if (status !== 'running' || !hasOlder || attempt >= maxAttempts) return false
  if (family !== 'transient' && family !== 'quota') return false
  noteFailure(txn, run, message ?? 'The runtime did not take it', family)
  const wait = Math.max(Math.min(retryAfterMs, longestWaitMs), backoffMs(attempt - fence))
  run.notBefore = new Date(txn.clock.now() + wait)
  waitAgain(txn, run)
  return true
}
