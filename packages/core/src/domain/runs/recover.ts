import { LockMode } from '@mikro-orm/core'
import { takeHold } from '../activities/hold.ts'
import { lockActivity } from '../activities/state.ts'
import { command } from '../command.ts'
import type { Ctx } from '../context.ts'
import type { LostRun } from './claim-queries.ts'
import { Run } from './entities.ts'
import { fail, markFailed, noteFailure } from './failure.ts'
import { holdBack } from './hold-back.ts'
import { addEntries, keepRemoteText } from './transcript.ts'

/** How often a run may lose its process before it counts as the run’s own fault: often enough for a bad day, not for ever. */
const maxAttempts = 20

/**
 * Takes a run back whose lease has ended. A run of a process that died waits again, under a new attempt that fences the
 * old one off; one that an external runtime did not answer in time ends as `timeout`.
 */
export async function takeBack(ctx: Ctx, lost: LostRun): Promise<void> {
  const taken = await command(ctx, async (cmd) => {
    const known = await cmd.em.findOne(Run, { id: lost.id })
    if (!known) return false
    const isProbe = known.purpose === 'probe'
    const activity = isProbe ? null : await lockActivity(cmd, known.activityId)
    const run = await cmd.em.findOneOrFail(
      Run,
      { id: lost.id },
      { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true },
    )
    const unchanged =
      run.open && run.status === 'running' && run.attempt === lost.attempt && run.leaseOwner === lost.owner
    if (!unchanged) return false
    await keepRemoteText(cmd, run)
    if (activity && lost.owner !== null && run.attempt < maxAttempts) {
      addEntries(cmd, run, [
        { type: 'system', content: `Attempt ${run.attempt} has lost its process. The run starts anew.` },
      ])
      noteFailure(cmd, run, 'The process that ran it died', 'transient')
      if (activity.hold !== null) {
        holdBack(cmd, activity, run)
        return true
      }
      run.status = 'pending'
      run.leaseOwner = null
      run.leaseUntil = null
      cmd.signal('runs')
      return true
    }
    run.open = false
    run.completedAt = cmd.clock.date()
    run.leaseOwner = null
    const failure =
      lost.owner === null
        ? { error: 'The runtime did not answer in time', family: 'transient' as const, timedOut: true }
        : activity
          ? { error: `The process that ran it died ${maxAttempts} times`, family: 'internal' as const }
          : { error: 'The process that ran it died', family: 'transient' as const }
    if (activity) {
      await fail(cmd, run, activity, failure)
      takeHold(cmd, activity)
    } else markFailed(cmd, run, failure)
    return true
  })
  if (!taken) return
  const { sequencer, deltas } = ctx.services
  sequencer.release(lost.id, lost.attempt)
  await deltas.flush()
  deltas.close({ runId: lost.id, attempt: lost.attempt })
}
