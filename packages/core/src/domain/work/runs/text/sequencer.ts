import type { Clock } from '../../../../platform/clock.ts'
import type { DeltaSource } from './delta.ts'
import type { Deltas } from './deltas.ts'

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
  /** By number: the text, and when it came. */
  waiting: Map<number, { delta: string; since: number }>
  cancel: (() => void) | undefined
}

/** How long a gap is waited for. */
const gapMs = 2_000

/** Numbers may start anywhere; duplicates are ignored; a gap holds back what follows for two seconds at the most. */
export function createSequencer({ deltas, clock }: { deltas: Deltas; clock: Clock }): Sequencer {
  const runs = new Map<string, Held>()

  const drain = ({ source, waiting, ...held }: Held): number | undefined => {
    let { next } = held
    for (let piece = waiting.get(next ?? -1); next !== undefined && piece; piece = waiting.get(next)) {
      deltas.push(source, piece.delta)
      waiting.delete(next)
      next += 1
    }
    return next
  }
  /** Gives out what is in order, and what a gap has held back for long enough; comes again for the rest. */
  const advance = (held: Held, patience = gapMs) => {
    held.cancel?.()
    held.cancel = undefined
    held.next = drain(held)
    while (held.waiting.size > 0) {
      // All that waits lies behind the first gap, which is known since the earliest of it came.
      const due = Math.min(...[...held.waiting.values()].map(({ since }) => since)) + patience
      const wait = due - clock.now()
      if (wait > 0) {
        held.cancel = clock.after(wait, () => advance(held))
        return
      }
      held.next = Math.min(...held.waiting.keys())
      held.next = drain(held)
    }
  }
  const heldOf = (source: DeltaSource): Held => {
    const known = runs.get(source.runId)
    if (known?.source.attempt === source.attempt) return known
    known?.cancel?.()
    const fresh: Held = { source, next: undefined, waiting: new Map(), cancel: undefined }
    runs.set(source.runId, fresh)
    return fresh
  }
  return {
    take(source, { delta, sequenceNum }) {
      const held = heldOf(source)
      // Nothing can come before it.
      if (sequenceNum === 0) held.next ??= 0
      if (held.next !== undefined && sequenceNum < held.next) return
      if (!held.waiting.has(sequenceNum)) held.waiting.set(sequenceNum, { delta, since: clock.now() })
      advance(held)
    },
    release(runId, attempt) {
      const held = runs.get(runId)
      if (!held || (attempt !== undefined && held.source.attempt !== attempt)) return
      advance(held, 0)
      runs.delete(runId)
    },
  }
}

declare module '../../../../kernel/services.ts' {
  interface Services {
    sequencer: Sequencer
  }
}
