import { LockMode } from '@mikro-orm/core'
import { lockActivity } from '../activities/state.ts'
import { command } from '../command.ts'
import type { Ctx } from '../context.ts'
import type { Dispatch } from './begin.ts'
import { type FailureFamily, Run } from './entities.ts'
import { backoffMs, longestWaitMs, noteFailure } from './failure.ts'
import { maxAttempts, waitAgain } from './recover.ts'

/**
 * Lets a run wait that no runtime has taken while one may still be at work with an older attempt: the refusal may come from the
 * very runtime that is busy with it, and its result counts.
 * @returns false where there is no such attempt, and the run has failed
 */
export function isLeftToOlder(
  ctx: Ctx,
  { runId, attempt, activityId }: Dispatch,
  { family, message, retryAfterMs }: { family?: FailureFamily; message?: string; retryAfterMs?: number },
): Promise<boolean> {
  if (family !== 'transient' && family !== 'quota') return Promise.resolve(false)
  return command(ctx, async (cmd) => {
    await lockActivity(cmd, activityId)
    const run = await cmd.em.findOneOrFail(Run, { id: runId }, { lockMode: LockMode.PESSIMISTIC_WRITE })
    const isOurs = run.open && run.status === 'running' && run.attempt === attempt
    const hasOlder = run.adapter === 'adapter_b' && run.handedOverAt === null && run.fence < attempt - 1
    if (!isOurs || !hasOlder || attempt >= maxAttempts) return false
    noteFailure(cmd, run, message ?? 'The runtime did not take it', family)
    const asked = Math.min(retryAfterMs ?? 0, longestWaitMs)
    run.notBefore = new Date(cmd.clock.now() + Math.max(asked, backoffMs(attempt - run.fence)))
    waitAgain(cmd, run)
    return true
  })
}
