import type { Clock } from '../../platform/clock.ts'
import type { Database, Sql } from '../../platform/database/database.ts'
import type { Broadcast } from '../../platform/events/broadcast.ts'
import type { Logger } from '../../platform/log.ts'
import { readText, writeBatches } from './delta-queries.ts'

/** The run that a piece of text belongs to. */
export interface DeltaSource {
  runId: string
  attempt: number
  activityId: string
  tenantId: string
}

/** A piece of text as watchers get it. `position` is the number of characters of the attempt before it. */
export interface TextDelta extends DeltaSource {
  position: number
  text: string
}

export interface Deltas {
  /** Lets an attempt go on after the text that is stored of it, which another process may have taken. */
  resume(sql: Sql, source: DeltaSource): Promise<void>
  /** Takes text in the order in which it is written: told at once, stored with the next batch. */
  push(source: DeltaSource, text: string): void
  /** Stores everything taken so far. */
  flush(): Promise<void>
  /** All text of one attempt so far, stored or not. */
  textOf(source: Pick<DeltaSource, 'runId' | 'attempt'>): Promise<string>
  /** The attempt has ended: its text need not be kept at hand. */
  close(source: Pick<DeltaSource, 'runId' | 'attempt'>): void
  start(): Promise<void>
  stop(): Promise<void>
}

/** Watchers of one activity, and of all of a tenant, listen to these. */
export const activityTopic = (activityId: string) => `text:activity:${activityId}`
export const tenantTopic = (tenantId: string) => `text:tenant:${tenantId}`

const channel = 'copydesk_text'
const batchMs = 100
/** Of how many attempts that other nodes write it is known how much was told. */
const maxRelayed = 1_000
/** How long text that could not be stored waits for the next attempt. */
const retryMs = 1_000

interface Writing extends DeltaSource {
  length: number
  /** What was told and is not known to be stored yet, in its order. */
  waiting: TextDelta[]
}

/** Fans text out as it is written and stores it in batches, so that a late watcher sees the run from its start. */
export function createDeltas(options: {
  db: Database
  broadcast: Broadcast
  clock: Clock
  log: Logger
  node: string
}): Deltas {
  const { db, broadcast, clock, log, node } = options
  const writing = new Map<string, Writing>()
  let timer: (() => void) | undefined
  let flushing = Promise.resolve()
  let relaying = Promise.resolve()
  let stopped = false
  /** How much of an attempt that another node writes was told here; the one that was told last is the last. */
  const relayed = new Map<string, number>()
  let unlisten: (() => Promise<void>) | undefined

  const keyOf = (source: Pick<DeltaSource, 'runId' | 'attempt'>) => `${source.runId}.${source.attempt}`
  const tell = (delta: TextDelta) => {
    broadcast.publish(activityTopic(delta.activityId), delta)
    broadcast.publish(tenantTopic(delta.tenantId), delta)
  }
  const store = async () => {
    timer?.()
    timer = undefined
    const batches = [...writing.values()].flatMap(({ waiting }) => {
      const [first] = waiting
      const text = waiting.map((delta) => delta.text).join('')
      return first ? [{ batch: { ...first, text }, waiting, count: waiting.length }] : []
    })
    if (batches.length === 0) return
    const rows = batches.map(({ batch }) => batch)
    await db.write(async (tx) => {
      await writeBatches(tx, rows, clock.date())
      for (const { text: _, ...place } of rows) {
        await db.notify(tx, channel, JSON.stringify({ ...place, node }))
      }
    })
    // Only now: whoever asks for the text meanwhile finds it in one place or in both.
    for (const { waiting, count } of batches) waiting.splice(0, count)
  }
  const flush = () => {
    flushing = flushing.then(store).catch((error: unknown) => {
      log.error('text of a run could not be stored', { error })
      if (!stopped) timer ??= clock.after(retryMs, () => void flush())
    })
    return flushing
  }
  /** Text that another node stored: read it and tell the watchers of this one, who are told nothing twice. */
  const relay = async (payload: string) => {
    if (!payload) return
    const { node: from, ...note } = JSON.parse(payload) as Omit<TextDelta, 'text'> & { node: string }
    if (from === node) return
    if (broadcast.count(activityTopic(note.activityId)) + broadcast.count(tenantTopic(note.tenantId)) === 0)
      return
    const text = await readText(db.sql, note.runId, note.attempt, note.position)
    const key = keyOf(note)
    const position = Math.max(note.position, relayed.get(key) ?? 0)
    const fresh = text.slice(position - note.position)
    if (fresh === '') return
    relayed.delete(key)
    relayed.set(key, position + fresh.length)
    for (const old of relayed.keys()) if (relayed.size > maxRelayed) relayed.delete(old)
    tell({ ...note, position, text: fresh })
  }
  return {
    async resume(sql, source) {
      const key = keyOf(source)
      if (writing.has(key)) return
      const { length } = await readText(sql, source.runId, source.attempt, 0)
      if (!writing.has(key)) writing.set(key, { ...source, length, waiting: [] })
    },
    push(source, text) {
      if (text === '') return
      const key = keyOf(source)
      const run = writing.get(key) ?? { ...source, length: 0, waiting: [] }
      writing.set(key, run)
      const delta = { ...source, position: run.length, text }
      run.length += text.length
      run.waiting.push(delta)
      tell(delta)
      timer ??= clock.after(batchMs, () => void flush())
    },
    flush,
    async textOf(source) {
      const waiting = () => writing.get(keyOf(source))?.waiting ?? []
      const told = [...waiting()]
      let text = await readText(db.sql, source.runId, source.attempt, 0)
      // What was stored during the look is in the first list, what was told during it in the second.
      for (const delta of [...told, ...waiting()]) if (delta.position === text.length) text += delta.text
      return text
    },
    close(source) {
      writing.delete(keyOf(source))
    },
    async start() {
      unlisten = await db.listen(channel, (payload) => {
        // One after the other, as it was written.
        relaying = relaying
          .then(() => relay(payload))
          .catch((error: unknown) => log.error('text of another node could not be read', { error }))
      })
    },
    async stop() {
      stopped = true
      await flush()
      timer?.()
      await unlisten?.()
    },
  }
}
