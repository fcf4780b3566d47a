import { type NotificationType, notificationTypes } from './entities.ts'
import { type QuietHours, quietUntil } from './quiet-hours.ts'

/** In which ways a person is told of one kind of thing. */
export interface DeliveryChannels {
  inbox: boolean
  push: boolean
  mail: boolean
}

/** How everybody is told who has not said otherwise. */
export const usualWays: DeliveryChannels = { inbox: true, push: true, mail: false }

/** How a person wants to be told. */
export interface Preference {
  ways: Record<NotificationType, DeliveryChannels>
  quietHours: QuietHours | null
  /** Whether the zone of the quiet hours is the person's own choice. */
  ownZone: boolean
}

/** A stored preference with everything that it leaves open filled in. */
export function preferenceOf(stored: {
  ways: Partial<Record<NotificationType, DeliveryChannels>>
  quietFrom: string | null
  quietTo: string | null
  ownZone: string | null
  tenantZone: string
}): Preference {
  const { ways, quietFrom: from, quietTo: to, ownZone, tenantZone } = stored
  return {
    ways: Object.fromEntries(
      notificationTypes.map((type) => [type, ways[type] ?? usualWays]),
    ) as Preference['ways'],
    quietHours: from && to ? { from, to, timezone: ownZone ?? tenantZone } : null,
    ownZone: ownZone !== null,
  }
}

/** Until when a person is left in peace; undefined when what is told cannot wait, or need not. */
export function waitUntil({ quietHours }: Preference, urgent: boolean, now: Date): Date | undefined {
  return urgent || !quietHours ? undefined : quietUntil(quietHours, now)
}
