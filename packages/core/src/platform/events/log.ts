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
  /** What is live waits here until the past has been told. */
  waiting: StoredEvent[] | undefined
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

  const deliver = ({ follower }: Following, event: StoredEvent) => {
    try {
      follower.event(event)
    } catch (error) {
      log.error('a follower of events failed', { error, type: event.type, seq: event.seq })
    }
  }
  const tell = (following: Following, event: StoredEvent) => {
    if (event.seq <= following.seen) return
    const { tenants, subject } = following.filter
    following.seen = event.seq
    if (tenants !== 'all' && (event.tenantId === null || !tenants.includes(event.tenantId))) return
    if (subject !== undefined && subject !== event.subject) return
    if (following.types && !following.types.has(event.type)) return
    if (following.waiting) following.waiting.push(event)
    else deliver(following, event)
  }
  /** Tells what came after `after`, up to and with `present`; what comes meanwhile waits. */
  const replay = async (following: Following, after: number, present: number) => {
    const { filter, follower } = following
    if (after > present && after > (await lastNumber(db.sql))) return follower.resync()
    if (after >= present) {
      // Another process has told this far already, and this one is only about to read it.
      following.seen = Math.max(following.seen, after)
      following.waiting = following.waiting?.filter(({ seq }) => seq > after)
      return
    }
    if (after < (await prunedUpTo(db.sql))) follower.resync()
    let from = after
    while (from < present) {
      const past = await selectEvents(db.sql, filter, from, batch)
      for (const event of past) if (event.seq <= present) deliver(following, event)
      from = past.length === batch ? (past.at(-1)?.seq ?? present) : present
    }
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
      // It listens before the past is read, so that nothing falls in between.
      const following: Following = {
        filter,
        types: filter.types && new Set(filter.types),
        seen: told,
        waiting: [],
        follower,
      }
      followings.add(following)
      try {
        if (after === undefined) follower.begin?.(told)
        else await replay(following, after, told)
      } catch (error) {
        followings.delete(following)
        throw error
      }
      const missed = following.waiting ?? []
      following.waiting = undefined
      for (const event of missed) deliver(following, event)
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
