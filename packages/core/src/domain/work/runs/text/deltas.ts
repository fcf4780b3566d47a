import type { Clock } from '../../../../platform/clock.ts'
import type { Database, Sql } from '../../../../platform/database/database.ts'
import type { Broadcast } from '../../../../platform/events/events.ts'
import type { Logger } from '../../../../platform/log.ts'
import { activityTopic, type DeltaSource, keyOf, type TextDelta, tenantTopic } from './delta.ts'
import { createDeltaRelay } from './delta-relay.ts'
import { readText, writeBatches } from './queries.ts'

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

/** Longer would be felt by who watches on another node, shorter would write more often for no one's good. */
const batchMs = 30
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
  let stopped = false

  const tell = (delta: TextDelta) => {
    broadcast.publish(activityTopic(delta.activityId), delta)
    // A probe stands for itself: it is no part of what goes on at the tenant.
    if (delta.activityId !== delta.runId) broadcast.publish(tenantTopic(delta.tenantId), delta)
  }
  const relay = createDeltaRelay({ db, broadcast, log, node, tell })
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
      await relay.announce(tx, rows)
    })
    // Only now: anyone who asks for the text meanwhile finds it in one place or in both.
    for (const { waiting, count } of batches) waiting.splice(0, count)
  }
  const flush = () => {
    flushing = flushing.then(store).catch((error: unknown) => {
      log.error('text of a run could not be stored', { error })
      if (!stopped) timer ??= clock.after(retryMs, () => void flush())
    })
    return flushing
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
    start: () => relay.start(),
    async stop() {
      stopped = true
      await flush()
      timer?.()
      await relay.stop()
    },
  }
}

declare module '../../../../kernel/services.ts' {
  interface Services {
    deltas: Deltas
  }
}
