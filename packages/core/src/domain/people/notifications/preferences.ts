import type { Ctx } from '../../../kernel/context.ts'
import { notFound } from '../../../kernel/errors.ts'
import { oneTenant } from '../../../kernel/scope.ts'
import { transact } from '../../../kernel/transact.ts'
import { NotificationPreference } from './entities.ts'
import { type Preference, usualWays, waitUntil } from './preference.ts'
import { type DeliverableNotification, deliverableNotification, recipientsOf } from './preference-queries.ts'
import type { Preferences } from './schemas.ts'

/** How the caller is told. Serves `GET /tenant/v1/notifications/preferences`. */
export async function getPreferences(ctx: Ctx): Promise<Preferences> {
  const [own] = await recipientsOf(ctx.sql, oneTenant(ctx), [ctx.actor.id])
  if (!own) throw notFound('user')
  return shown(own.preference)
}

/**
 * Says again how the caller is told; kinds that are left out are told in the usual ways. Serves
 * `PUT /tenant/v1/notifications/preferences`.
 */
export function putPreferences(ctx: Ctx, { ways, quietHours }: Preferences): Promise<Preferences> {
  const tenantId = oneTenant(ctx)
  const userId = ctx.actor.id
  return transact(ctx, async (txn) => {
    const [before] = await recipientsOf(txn.tx, tenantId, [userId])
    if (!before) throw notFound('user')
    await txn.em.upsert(NotificationPreference, {
      userId,
      tenantId,
      ways,
      quietFrom: quietHours?.from ?? null,
      quietTo: quietHours?.to ?? null,
      timezone: quietHours?.timezone ?? null,
      updatedOn: txn.clock.date(),
    })
    txn.audit({
      tenantId,
      resourceType: 'notification_preferences',
      resourceId: userId,
      before: shown(before.preference),
      after: { ways, quietHours },
    })
    const [after] = await recipientsOf(txn.tx, tenantId, [userId])
    return shown((after ?? before).preference)
  })
}

function shown({ ways, quietHours, ownZone }: Preference): Preferences {
  const { from, to, timezone } = quietHours ?? { from: '', to: '', timezone: '' }
  return {
    ways: ways as Record<keyof typeof ways, typeof usualWays>,
    quietHours: quietHours && { from, to, ...(ownZone && { timezone }) },
  }
}

/** What becomes of a notification that is about to leave the house. */
export type Due =
  | { state: 'moot' }
  | { state: 'now'; found: DeliverableNotification }
  | { state: 'later'; tenantId: string; at: Date }

/**
 * Looks again before a notification leaves: it may have been read, the person may want it in this way no more, and a try that has
 * failed, or other quiet hours, may have brought it into quiet hours.
 */
export async function dueNow(ctx: Ctx, notificationId: string, way: 'push' | 'mail'): Promise<Due> {
  const found = await deliverableNotification(ctx.sql, notificationId)
  const [recipient] = found ? await recipientsOf(ctx.sql, found.tenantId, [found.userId]) : []
  if (!found || !recipient?.preference.ways[found.type][way]) return { state: 'moot' }
  const at = waitUntil(recipient.preference, found.urgent, ctx.clock.date())
  return at ? { state: 'later', tenantId: found.tenantId, at } : { state: 'now', found }
}
