import type { Clock } from '../clock.ts'
import type { Database, Sql } from '../database/database.ts'
import type { NewRow } from '../database/new-rows.ts'
import type { Logger } from '../log.ts'

/** Something that happened, told in the transaction in which it happened. */
export interface NewEvent {
  /** The tenant that it happened to; null when it belongs to none. */
  tenantId: string | null
  /** For example `approval_created`. */
  type: string
  /** The id of the thing that it is about, for streams of one thing. */
  subject: string
  data: Record<string, unknown>
}

/** What a transaction can know of an event that may have no number yet. */
export type Happened = Pick<StoredEvent, 'type' | 'data' | 'at'>

export interface StoredEvent extends NewEvent {
  /** Grows by one with every event; one with a smaller number never appears later. */
  seq: number
  at: Date
}

/** Which events a follower wants; a missing part means any. */
export interface EventFilter {
  tenants: readonly string[] | 'all'
  types?: readonly string[]
  subject?: string
}

export interface Follower {
  /**
   * @returns false, or a promise of it, when the follower has gone: it is told no more of the past. Each event of the past waits for the
   *   promise of the one before; what is live waits for no one
   */
  event(event: StoredEvent): unknown
  /** Who asks for no past is told, before anything else, after which number what it is told begins. */
  begin?(after: number): void
  /** The past from which the follower wanted to resume is gone: it must load again. */
  resync(): void
}

/** The log of events: written with the change, read in order, by one or many processes. */
export interface EventLog {
  /** The rows by which a transaction writes events, last before its commit; `append` for one that writes nothing else. */
  toRows(events: readonly NewEvent[]): NewRow[]
  /** Writes the events as part of `tx`; they are told once it commits and `wakeUp` is called, or a second later. */
  append(tx: Sql, events: readonly NewEvent[]): Promise<void>
  /**
   * Events with a number above `after`, oldest first. On PostgreSQL an event gets its number a moment after its commit.
   * @param sql of a transaction that decides by what it reads. Default: committed events
   */
  read(filter: EventFilter, after: number, limit: number, sql?: Sql): Promise<StoredEvent[]>
  /** What has happened as `tx` sees it, also what has no number yet, in no order: for decisions that depend on what was told before. */
  happened(tx: Sql, filter: EventFilter, limit: number): Promise<Happened[]>
  /** Resolves when everything that was committed before has its number. */
  settle(): Promise<void>
  /** Replays what came after `after` (nothing when undefined), then goes on live; no gap, no repeat. */
  follow(filter: EventFilter, after: number | undefined, follower: Follower): Promise<() => void>
  /** The highest number told so far. */
  last(): number
  /** Numbers and reads what was committed since and tells the followers; called after every commit of this process. */
  wakeUp(): void
  /** Does the same. Resolves once the followers of this process have been told of everything that was committed before. */
  tell(): Promise<void>
  /** Deletes events older than `before`; followers that resume from there are told to resync. */
  prune(before: Date): Promise<number>
  start(): Promise<void>
  stop(): Promise<void>
}

export interface EventLogOptions {
  db: Database
  clock: Clock
  log: Logger
}

/** Fan-out of messages that are not kept, inside this process. */
export interface Broadcast {
  publish(topic: string, message: unknown): void
  /** @returns a function that ends the subscription */
  subscribe(topic: string, listener: (message: unknown) => void): () => void
  /** How many listen to a topic. */
  count(topic: string): number
}

export function createBroadcast(): Broadcast {
  const topics = new Map<string, Set<(message: unknown) => void>>()
  return {
    publish(topic, message) {
      for (const listener of topics.get(topic) ?? []) listener(message)
    },
    subscribe(topic, listener) {
      const listeners = topics.get(topic) ?? new Set()
      topics.set(topic, listeners.add(listener))
      return () => {
        listeners.delete(listener)
        if (listeners.size === 0 && topics.get(topic) === listeners) topics.delete(topic)
      }
    },
    count: (topic) => topics.get(topic)?.size ?? 0,
  }
}
