import type { Clock } from '../../../platform/clock.ts'
import type { Database } from '../../../platform/database/database.ts'
import type { EventLog } from '../../../platform/events/events.ts'
import { accessChangesSince } from './queries.ts'

/** Sessions, users and tenants whose access tokens are refused although they have not expired. */
export interface Revocations {
  has(...ids: Array<string | undefined>): boolean
  /** Refuses what this process has just ended, before the event that tells every process has come round. */
  add(id: string): void
  /** Lets someone in again who was reinstated; the sessions that were ended stay refused under their own ids. */
  lift(id: string): void
  /** How often the tenants that someone works for have changed: what was opened before shows too much or too little. */
  changes(userId: string): number
  /** Calls `fn` whenever someone more is refused or works for other tenants, so that open streams can be ended. */
  onRefused(fn: () => void): void
  start(): Promise<void>
  stop(): void
}

/** An access token lives 15 minutes, so nothing has to be remembered longer. */
const keptMs = 15 * 60_000

/**
 * Follows the `access_revoked`, `access_restored` and `access_changed` events of every process. A start reads every revocation
 * that a living token may be under, by its time: how many other events came since makes no difference.
 */
export function createRevocations({
  db,
  events,
  clock,
}: {
  db: Database
  events: EventLog
  clock: Clock
}): Revocations {
  const revoked = new Map<string, number>()
  const changed = new Map<string, number>()
  const listeners: Array<() => void> = []
  let stop: (() => void) | undefined

  const refuse = (id: string, since: number) => {
    revoked.set(id, since + keptMs)
    for (const fn of listeners) fn()
  }
  return {
    has(...ids) {
      if (revoked.size === 0) return false
      const now = clock.now()
      return ids.some((id) => id !== undefined && (revoked.get(id) ?? 0) > now)
    },
    add: (id) => refuse(id, clock.now()),
    changes: (userId) => changed.get(userId) ?? 0,
    lift: (id) => void revoked.delete(id),
    onRefused: (fn) => void listeners.push(fn),
    async start() {
      // What comes while the past is read is told again afterwards, in its order.
      const last = events.last()
      for (const { type, subject, at } of await accessChangesSince(db.sql, new Date(clock.now() - keptMs))) {
        if (type === 'access_restored') revoked.delete(subject)
        else refuse(subject, at.getTime())
      }
      stop = await events.follow(
        { tenants: 'all', types: ['access_revoked', 'access_restored', 'access_changed'] },
        last,
        {
          event: ({ type, subject, at }) => {
            for (const [id, until] of revoked) if (until <= clock.now()) revoked.delete(id)
            if (type === 'access_restored') revoked.delete(subject)
            else if (type === 'access_changed') {
              changed.set(subject, (changed.get(subject) ?? 0) + 1)
              for (const fn of listeners) fn()
            } else refuse(subject, at.getTime())
          },
          resync: () => undefined,
        },
      )
    },
    stop: () => stop?.(),
  }
}

declare module '../../../kernel/services.ts' {
  interface Services {
    revocations: Revocations
  }
}
