import type { Clock } from '../../platform/clock.ts'
import type { Deltas, DeltaSource } from './deltas.ts'

/** Puts the numbered pieces of text of remote runtimes into their order. */
export interface Sequencer {
  take(source: DeltaSource, piece: { delta: string; sequenceNum: number }): void
  /** Gives out what is held back of this attempt, gaps or not; called before a run's result is stored. */
  release(runId: string, attempt?: number): void
}

interface Held {
  source: DeltaSource
  /** The number that comes next; undefined until the first piece has waited for its elders. */
  next: number | undefined
  waiting: Map<number, string>
  cancel: (() => void) | undefined
}

/** How long a gap is waited for. */
const gapMs = 2_000

/** Numbers may start anywhere; duplicates are ignored; a gap holds back what follows for two seconds at the most. */
export function createSequencer({ deltas, clock }: { deltas: Deltas; clock: Clock }): Sequencer {
  const runs = new Map<string, Held>()

  const drain = (held: Held) => {
    while (held.next !== undefined && held.waiting.has(held.next)) {
      deltas.push(held.source, held.waiting.get(held.next) as string)
      held.waiting.delete(held.next)
      held.next += 1
    }
  }
  /** Skips the gap. */
  const jump = (held: Held) => {
    held.cancel?.()
    held.cancel = undefined
    while (held.waiting.size > 0) {
      held.next = Math.min(...held.waiting.keys())
      drain(held)
    }
  }
  return {
    take(source, { delta, sequenceNum }) {
      let held = runs.get(source.runId)
      if (!held || held.source.attempt !== source.attempt) {
        held?.cancel?.()
        held = {
          source,
          next: sequenceNum === 0 ? 0 : undefined,
          waiting: new Map(),
          cancel: undefined,
        }
        runs.set(source.runId, held)
      }
      const current = held
      if (current.next !== undefined && sequenceNum < current.next) return
      if (!current.waiting.has(sequenceNum)) current.waiting.set(sequenceNum, delta)
      drain(current)
      if (current.waiting.size === 0) {
        current.cancel?.()
        current.cancel = undefined
      } else current.cancel ??= clock.after(gapMs, () => jump(current))
    },
    release(runId, attempt) {
      const held = runs.get(runId)
      if (!held || (attempt !== undefined && held.source.attempt !== attempt)) return
      jump(held)
      runs.delete(runId)
    },
  }
}
