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
/** How long after a reinstatement events of the suspension before it may still come, at most. */
const lateMs = 10_000

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
  /** How often someone was let in here beyond the events of it that have come; below zero where more of those came. */
  const lifted = new Map<string, { times: number; until: number }>()
  const listeners: Array<() => void> = []
  let stop: (() => void) | undefined

  const refuse = (id: string, since: number) => {
    revoked.set(id, since + keptMs)
    for (const fn of listeners) fn()
  }
  const restore = (id: string, by: 1 | -1) => {
    revoked.delete(id)
    const times = (lifted.get(id)?.times ?? 0) + by
    if (times === 0) lifted.delete(id)
    else lifted.set(id, { times, until: clock.now() + lateMs })
  }
  const forgetOld = () => {
    const now = clock.now()
    for (const [id, until] of revoked) if (until <= now) revoked.delete(id)
    for (const [id, { until }] of lifted) if (until <= now) lifted.delete(id)
  }
  return {
    has(...ids) {
      if (revoked.size === 0) return false
      const now = clock.now()
      return ids.some((id) => id !== undefined && (revoked.get(id) ?? 0) > now)
    },
    add: (id) => refuse(id, clock.now()),
    changes: (userId) => changed.get(userId) ?? 0,
    lift: (id) => restore(id, 1),
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
            forgetOld()
            if (type === 'access_restored') restore(subject, -1)
            else if (type === 'access_changed') {
              changed.set(subject, (changed.get(subject) ?? 0) + 1)
              for (const fn of listeners) fn()
            }
            // While the event of a reinstatement is still to come, this suspension happened before it.
            else if ((lifted.get(subject)?.times ?? 0) <= 0) refuse(subject, at.getTime())
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
