import type { Ctx } from '../context.ts'
import { waitUntil } from './preference.ts'
import { recipientsOf, type Tellable, tellable } from './preference-queries.ts'

/** What becomes of a notification that is about to leave the house. */
export type Due =
  | { state: 'moot' }
  | { state: 'now'; found: Tellable }
  | { state: 'later'; tenantId: string; at: Date }

/**
 * Looks again before a notification leaves: it may have been read, the person may want it in this way no more, and a try that has
 * failed, or other quiet hours, may have brought it into quiet hours.
 */
export async function dueNow(ctx: Ctx, notificationId: string, way: 'push' | 'mail'): Promise<Due> {
  const found = await tellable(ctx.sql, notificationId)
  const [recipient] = found ? await recipientsOf(ctx.sql, found.tenantId, [found.userId]) : []
  if (!found || !recipient?.preference.ways[found.type][way]) return { state: 'moot' }
  const at = waitUntil(recipient.preference, found.urgent, ctx.clock.date())
  return at ? { state: 'later', tenantId: found.tenantId, at } : { state: 'now', found }
}
