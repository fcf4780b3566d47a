import type { Sql } from '../database/database.ts'
import { insertRows, type NewRow } from '../database/new-rows.ts'
import type {
  EventFilter,
  EventLog,
  EventLogOptions,
  Follower,
  Happened,
  NewEvent,
  StoredEvent,
} from './events.ts'
import {
  deleteBefore,
  eventRows,
  eventsChannel,
  lastNumber,
  numberEvents,
  prunedUpTo,
  selectEvents,
  selectHappened,
} from './queries.ts'

const batch = 500
/** Writes of other processes, also of those that died before they had them numbered, are found at the latest after this time. */
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

/**
 * The log of events on the database: one reader per process tells all followers, in the order of the numbers. On PostgreSQL
 * it first lets the database number what waits, for all processes: no process is in charge of it, so none can be missed.
 */
export function createEventLog(options: EventLogOptions): EventLog {
  return new DatabaseEventLog(options)
}

class DatabaseEventLog implements EventLog {
  readonly #options: EventLogOptions
  readonly #followings = new Set<Following>()
  /** The number of the last event that was told. */
  #told = 0
  #running = false
  #pumping: Promise<void> | undefined
  #again = false
  /** Wait for the end of a look that has not begun. */
  #waiting: Array<() => void> = []
  #unlisten: (() => Promise<void>) | undefined
  #cancelPoll: (() => void) | undefined

  constructor(options: EventLogOptions) {
    this.#options = options
  }

  async start(): Promise<void> {
    const { db } = this.#options
    // Of what a process has left without a number its successor knows before it serves anyone.
    await this.settle()
    this.#told = await lastNumber(db.sql)
    this.#running = true
    this.#unlisten = await db.listen(eventsChannel, (last) => this.#heard(Number(last)))
    this.#poll()
  }

  async stop(): Promise<void> {
    this.#running = false
    this.#cancelPoll?.()
    await this.#pumping
    for (const resolve of this.#waiting.splice(0)) resolve()
    // What was committed since, or by a process that never started, would wait for another process to look.
    if (this.#again)
      await this.settle().catch((error: unknown) =>
        this.#options.log.warn('events could not be numbered', { error }),
      )
    await this.#unlisten?.()
  }

  async append(tx: Sql, events: readonly NewEvent[]): Promise<void> {
    await insertRows(tx, this.toRows(events))
  }

  toRows(events: readonly NewEvent[]): NewRow[] {
    const { db, clock } = this.#options
    return eventRows(db.dialect, events, clock.date())
  }

  read(
    filter: EventFilter,
    after: number,
    limit: number,
    sql: Sql = this.#options.db.sql,
  ): Promise<StoredEvent[]> {
    return selectEvents(sql, filter, after, limit)
  }

  happened(tx: Sql, filter: EventFilter, limit: number): Promise<Happened[]> {
    return selectHappened(tx, filter, limit)
  }

  async settle(): Promise<void> {
    while ((await this.#number()) === batch);
  }

  last(): number {
    return this.#told
  }

  prune(before: Date): Promise<number> {
    return this.#options.db.write((tx) => deleteBefore(tx, before))
  }

  async follow(filter: EventFilter, after: number | undefined, follower: Follower): Promise<() => void> {
    // It listens before the past is read, so that nothing falls in between.
    const following: Following = {
      filter,
      types: filter.types && new Set(filter.types),
      seen: this.#told,
      waiting: [],
      follower,
    }
    this.#followings.add(following)
    try {
      if (after === undefined) follower.begin?.(this.#told)
      else await this.#replay(following, after, this.#told)
    } catch (error) {
      this.#followings.delete(following)
      throw error
    }
    const missed = following.waiting ?? []
    following.waiting = undefined
    for (const event of missed) this.#deliver(following, event)
    return () => void this.#followings.delete(following)
  }

  /** Handed over as it is to those who hear of commits. */
  readonly wakeUp = (): void => {
    this.#again = true
    if (!this.#running) return
    this.#pumping ??= this.#pump()
      .catch((error: unknown) => this.#options.log.error('events could not be read', { error }))
      .finally(() => {
        this.#pumping = undefined
        if (this.#again && this.#running) this.wakeUp()
      })
  }

  tell(): Promise<void> {
    if (!this.#running) return Promise.resolve()
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#waiting.push(resolve)
    this.wakeUp()
    return promise
  }

  /** Another process has numbered events, or this one has; without a number the listening connection was lost. */
  #heard(last: number): void {
    if (!(last <= this.#told)) this.wakeUp()
  }

  #poll(): void {
    this.wakeUp()
    this.#cancelPoll = this.#options.clock.after(pollMs, () => this.#poll())
  }

  async #pump(): Promise<void> {
    while (this.#again && this.#running) {
      this.#again = false
      const waiting = this.#waiting.splice(0)
      try {
        while ((await this.#look()) === batch);
      } finally {
        // After a failure the next look tells the events; their command has committed all the same.
        for (const resolve of waiting) resolve()
      }
    }
  }

  /** @returns how many events it has told */
  async #look(): Promise<number> {
    await this.#number()
    const events = await this.read({ tenants: 'all' }, this.#told, batch)
    for (const event of events) {
      this.#told = event.seq
      for (const following of this.#followings) this.#tell(following, event)
    }
    return events.length
  }

  /** @returns how many events it has numbered */
  async #number(): Promise<number> {
    const { db } = this.#options
    if (db.dialect === 'sqlite') return 0
    const { numbered, last } = await numberEvents(db.sql, batch)
    if (numbered > 0) await db.notify(db.sql, eventsChannel, String(last))
    return numbered
  }

  #tell(following: Following, event: StoredEvent): void {
    if (event.seq <= following.seen) return
    const { tenants, subject } = following.filter
    following.seen = event.seq
    if (tenants !== 'all' && (event.tenantId === null || !tenants.includes(event.tenantId))) return
    if (subject !== undefined && subject !== event.subject) return
    if (following.types && !following.types.has(event.type)) return
    if (following.waiting) following.waiting.push(event)
    else this.#deliver(following, event)
  }

  /** @returns what the follower has answered */
  #deliver({ follower }: Following, event: StoredEvent): unknown {
    try {
      return follower.event(event)
    } catch (error) {
      this.#options.log.error('a follower of events failed', { error, type: event.type, seq: event.seq })
      return undefined
    }
  }

  /** Tells what came after `after`, up to and with `present`, no faster than the follower takes it; what comes meanwhile waits. */
  async #replay(following: Following, after: number, present: number): Promise<void> {
    const { filter, follower } = following
    const { sql } = this.#options.db
    if (after > present && after > (await lastNumber(sql))) return follower.resync()
    if (after >= present) {
      // Another process has told this far already, and this one is only about to read it.
      following.seen = Math.max(following.seen, after)
      following.waiting = following.waiting?.filter(({ seq }) => seq > after)
      return
    }
    if (after < (await prunedUpTo(sql))) follower.resync()
    let from = after
    while (from < present) {
      const past = await this.read(filter, from, batch)
      for (const event of past)
        if (event.seq <= present && (await this.#deliver(following, event)) === false) return
      from = past.length === batch ? (past.at(-1)?.seq ?? present) : present
    }
  }
}
