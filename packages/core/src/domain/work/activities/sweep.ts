import type { Ctx } from '../../../kernel/context.ts'
import { transact } from '../../../kernel/transact.ts'
import { block, lockActivity } from './state.ts'
import { stuckActivities } from './sweep-queries.ts'

/** An open activity that nothing will ever move. */
export interface Stuck {
  id: string
  tenantId: string
  title: string
  status: string
}

/**
 * Proves that work moves: looks at every open activity for a run, a wait, a pending approval, a subtask, a person, an
 * earlier step or an obstacle that someone was told of, and gives those that have none. Changes nothing.
 */
export function findStuck(ctx: Ctx): Promise<Stuck[]> {
  return stuckActivities(ctx)
}

/**
 * Sweeps, and gives what nothing moves to people: it is blocked, the admins are told, and trying it again is the way out.
 * Each is an error in the log, since it should not be. What is blocked already, with no one there to be told, stays so and is
 * reported by `sweep`.
 */
export async function blockStuck(ctx: Ctx): Promise<void> {
  for (const { id, status } of await stuckActivities(ctx)) {
    if (status === 'blocked') continue
    ctx.log.error('nothing moves this activity', { activityId: id, status })
    await transact(ctx, async (txn) => {
      const activity = await lockActivity(txn, id)
      // It may have moved since.
      if ((await stuckActivities(txn, id)).length === 0) return
      await block(txn, activity, {
        type: 'nothing_moves',
        description: `It was ${status.replaceAll('_', ' ')}, and nothing would ever have moved it on.`,
        resolution: 'Try it again, or give it to someone else.',
      })
    })
  }
}
