import { command } from '../command.ts'
import type { Ctx } from '../context.ts'
import { notFound } from '../errors.ts'
import { oneTenant } from '../scope.ts'
import { NotificationPreference } from './entities.ts'
import { type Preference, usualWays } from './preference.ts'
import { recipientsOf } from './preference-queries.ts'
import type { Preferences } from './schemas.ts'

/** How the caller is told. Serves `GET /tenant/v1/notifications/preferences`. */
export async function getPreferences(ctx: Ctx): Promise<Preferences> {
  const [own] = await recipientsOf(ctx.sql, oneTenant(ctx), [ctx.actor.id])
  if (!own) throw notFound('user')
  return shown(own.preference)
}

/**
 * Says anew how the caller is told; kinds that are left out are told in the usual ways. Serves
 * `PUT /tenant/v1/notifications/preferences`.
 */
export function putPreferences(ctx: Ctx, { ways, quietHours }: Preferences): Promise<Preferences> {
  const tenantId = oneTenant(ctx)
  const userId = ctx.actor.id
  return command(ctx, async (cmd) => {
    const [before] = await recipientsOf(cmd.tx, tenantId, [userId])
    if (!before) throw notFound('user')
    await cmd.em.upsert(NotificationPreference, {
      userId,
      tenantId,
      ways,
      quietFrom: quietHours?.from ?? null,
      quietTo: quietHours?.to ?? null,
      timezone: quietHours?.timezone ?? null,
      updatedOn: cmd.clock.date(),
    })
    cmd.audit({
      tenantId,
      resourceType: 'notification_preferences',
      resourceId: userId,
      before: shown(before.preference),
      after: { ways, quietHours },
    })
    const [after] = await recipientsOf(cmd.tx, tenantId, [userId])
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
