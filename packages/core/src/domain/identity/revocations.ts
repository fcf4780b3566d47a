import type { Clock } from '../../platform/clock.ts'
import type { EventLog } from '../../platform/events/events.ts'

/** Sessions, users and tenants whose access tokens are refused although they have not expired. */
export interface Revocations {
  has(...ids: Array<string | undefined>): boolean
  /** Refuses what this process has just ended, before the event that tells every process has come round. */
  add(id: string): void
  start(): Promise<void>
  stop(): void
}

/** An access token lives 15 minutes, so nothing has to be remembered longer. */
const keptMs = 15 * 60_000

/** Follows the `access_revoked` events of every process, those of the last quarter of an hour included. */
export function createRevocations({ events, clock }: { events: EventLog; clock: Clock }): Revocations {
  const revoked = new Map<string, number>()
  let stop: (() => void) | undefined
  return {
    has(...ids) {
      if (revoked.size === 0) return false
      const now = clock.now()
      return ids.some((id) => id !== undefined && (revoked.get(id) ?? 0) > now)
    },
    add(id) {
      revoked.set(id, clock.now() + keptMs)
    },
    async start() {
      const recent = Math.max(0, events.last() - 20_000)
      stop = await events.follow({ tenants: 'all', types: ['access_revoked'] }, recent, {
        event: ({ subject, at }) => {
          for (const [id, until] of revoked) if (until <= clock.now()) revoked.delete(id)
          revoked.set(subject, at.getTime() + keptMs)
        },
        resync: () => undefined,
      })
    },
    stop: () => stop?.(),
  }
}
