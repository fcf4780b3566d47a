import type { Ctx } from '../context.ts'
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
 * earlier step or a blocker that somebody was told of, and reports those that have none.
 */
export async function sweep(ctx: Ctx): Promise<Stuck[]> {
  const stuck = await stuckActivities(ctx)
  for (const activity of stuck)
    ctx.log.error('nothing moves this activity', { activityId: activity.id, status: activity.status })
  return stuck
}
