import type { Clock } from '../../platform/clock.ts'
import type { Database } from '../../platform/database/database.ts'
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
  resume(source: DeltaSource): Promise<void>
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

interface Writing extends DeltaSource {
  length: number
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
  let unlisten: (() => Promise<void>) | undefined

  const keyOf = (source: Pick<DeltaSource, 'runId' | 'attempt'>) => `${source.runId}.${source.attempt}`
  const tell = (delta: TextDelta) => {
    broadcast.publish(activityTopic(delta.activityId), delta)
    broadcast.publish(tenantTopic(delta.tenantId), delta)
  }
  const store = async () => {
    timer?.()
    timer = undefined
    const batches = [...writing.values()].flatMap(({ waiting, ...run }) =>
      waiting[0]
        ? [{ ...waiting[0], runId: run.runId, text: waiting.map((delta) => delta.text).join('') }]
        : [],
    )
    if (batches.length === 0) return
    for (const run of writing.values()) run.waiting = []
    await db.write(async (tx) => {
      await writeBatches(tx, batches, clock.date())
      for (const batch of batches) {
        const note = {
          node,
          runId: batch.runId,
          attempt: batch.attempt,
          activityId: batch.activityId,
          tenantId: batch.tenantId,
          position: batch.position,
        }
        await db.notify(tx, channel, JSON.stringify(note))
      }
    })
  }
  const flush = () => {
    flushing = flushing
      .then(store)
      .catch((error: unknown) => log.error('text of a run could not be stored', { error }))
    return flushing
  }
  /** Text that another node stored: read it and tell the watchers of this one. */
  const relay = async (payload: string) => {
    if (!payload) return
    const note = JSON.parse(payload) as TextDelta & { node: string }
    if (note.node === node) return
    if (broadcast.count(activityTopic(note.activityId)) + broadcast.count(tenantTopic(note.tenantId)) === 0)
      return
    const text = await readText(db.sql, note.runId, note.attempt, note.position)
    if (text)
      tell({
        runId: note.runId,
        attempt: note.attempt,
        activityId: note.activityId,
        tenantId: note.tenantId,
        position: note.position,
        text,
      })
  }
  return {
    async resume(source) {
      const key = keyOf(source)
      if (writing.has(key)) return
      const { length } = await readText(db.sql, source.runId, source.attempt, 0)
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
      const stored = await readText(db.sql, source.runId, source.attempt, 0)
      const waiting = writing.get(keyOf(source))?.waiting ?? []
      return (
        stored +
        waiting
          .filter((delta) => delta.position >= stored.length)
          .map((delta) => delta.text)
          .join('')
      )
    },
    close(source) {
      writing.delete(keyOf(source))
    },
    async start() {
      unlisten = await db.listen(channel, (payload) => {
        relay(payload).catch((error: unknown) =>
          log.error('text of another node could not be read', { error }),
        )
      })
    },
    async stop() {
      await flush()
      await unlisten?.()
    },
  }
}
