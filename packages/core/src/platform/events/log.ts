import type { EventFilter, EventLog, EventLogOptions, Follower, StoredEvent } from './events.ts'
import { deleteBefore, insertEvents, lastNumber, prunedUpTo, selectEvents } from './queries.ts'

const channel = 'copydesk_events'
const batch = 500
/** Writes of other processes are found at the latest after this time. */
const pollMs = 1_000

interface Following {
  filter: EventFilter
  types: ReadonlySet<string> | undefined
  /** The last number that was told. */
  seen: number
  follower: Follower
}

/** The log of events on the database: one reader per process tells all followers, in the order of the numbers. */
export function createEventLog({ db, clock, log }: EventLogOptions): EventLog {
  const followings = new Set<Following>()
  let told = 0
  let running = false
  let pumping: Promise<void> | undefined
  let again = false
  let unlisten: (() => Promise<void>) | undefined
  let cancelPoll: (() => void) | undefined

  const tell = (following: Following, event: StoredEvent) => {
    if (event.seq <= following.seen) return
    const { tenants, subject } = following.filter
    following.seen = event.seq
    if (tenants !== 'all' && (event.tenantId === null || !tenants.includes(event.tenantId))) return
    if (subject !== undefined && subject !== event.subject) return
    if (following.types && !following.types.has(event.type)) return
    following.follower.event(event)
  }
  const pump = async () => {
    while (again && running) {
      again = false
      const events = await selectEvents(db.sql, { tenants: 'all' }, told, batch)
      for (const event of events) {
        told = event.seq
        for (const following of followings) tell(following, event)
      }
      if (events.length === batch) again = true
    }
  }
  const poke = () => {
    if (!running) return
    again = true
    pumping ??= pump()
      .catch((error: unknown) => log.error('events could not be read', { error }))
      .finally(() => {
        pumping = undefined
        if (again && running) poke()
      })
  }
  const poll = () => {
    poke()
    cancelPoll = clock.after(pollMs, poll)
  }
  return {
    async append(tx, events) {
      const last = await insertEvents(tx, db.dialect, events, clock.date())
      await db.notify(tx, channel, String(last))
    },
    read: (filter, after, limit) => selectEvents(db.sql, filter, after, limit),
    async follow(filter, after, follower) {
      const following: Following = {
        filter,
        types: filter.types && new Set(filter.types),
        seen: Number.POSITIVE_INFINITY,
        follower,
      }
      // Taken before the past is read: what comes meanwhile is told from `present` on.
      const present = told
      if (after !== undefined && after < present) {
        if (after < (await prunedUpTo(db.sql))) follower.resync()
        let from = after
        while (from < present) {
          const past = (await selectEvents(db.sql, filter, from, batch)).filter(
            (event) => event.seq <= present,
          )
          for (const event of past) follower.event(event)
          from = past.length === batch ? (past.at(-1)?.seq ?? present) : present
        }
      }
      following.seen = present
      // The reader may have gone on while the past was read.
      const missed = present < told ? await selectEvents(db.sql, filter, present, 10_000) : []
      followings.add(following)
      for (const event of missed) tell(following, event)
      if (following.seen < told) following.seen = Math.max(following.seen, missed.at(-1)?.seq ?? present)
      return () => void followings.delete(following)
    },
    last: () => told,
    poke,
    prune: (before) => db.write((tx) => deleteBefore(tx, before)),
    async start() {
      told = await lastNumber(db.sql)
      running = true
      unlisten = await db.listen(channel, poke)
      poll()
    },
    async stop() {
      running = false
      cancelPoll?.()
      await pumping
      await unlisten?.()
    },
  }
}
