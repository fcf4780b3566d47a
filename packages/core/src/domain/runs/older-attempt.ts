import { LockMode } from '@mikro-orm/core'
import { lockActivity } from '../activities/state.ts'
import { command } from '../command.ts'
import type { Command, Ctx } from '../context.ts'
import type { Dispatch } from './begin.ts'
import { type FailureFamily, Run, type RunRow } from './entities.ts'
import { backoffMs, longestWaitMs, noteFailure } from './failure.ts'
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
  return command(ctx, async (cmd) => {
    const known = await cmd.em.findOneOrFail(Run, { id: runId })
    if (known.purpose === 'probe') return false
    await lockActivity(cmd, known.activityId)
    const lockMode = LockMode.PESSIMISTIC_WRITE
    const run = await cmd.em.findOneOrFail(Run, { id: runId }, { lockMode, refresh: true })
    if (!run.open) return false
    if (run.attempt > attempt) return true
    return refusal !== undefined && waitForOlder(cmd, run, refusal)
  })
}

function waitForOlder(cmd: Command, run: RunRow, { family, message, retryAfterMs = 0 }: Refusal): boolean {
  const { adapter, status, attempt, fence, handedOverAt } = run
  const hasOlder = adapter === 'adapter_b' && handedOverAt === null && fence < attempt - 1
  if (status !== 'running' || !hasOlder || attempt >= maxAttempts) return false
  if (family !== 'transient' && family !== 'quota') return false
  noteFailure(cmd, run, message ?? 'The runtime did not take it', family)
  const wait = Math.max(Math.min(retryAfterMs, longestWaitMs), backoffMs(attempt - fence))
  run.notBefore = new Date(cmd.clock.now() + wait)
  waitAgain(cmd, run)
  return true
}
