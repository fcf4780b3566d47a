import type { Invocation } from '../operations/operation.ts'
import { shorten } from '../render/width.ts'
import type { Shell } from './shell.ts'

/** An operation, and how to undo it; without `back` it cannot be undone. */
interface Done {
  readonly line: Invocation
  readonly back: Invocation | undefined
}

/** The operations of this terminal, so that the latest can be undone. */
export interface Undoing {
  /** Operations that can be undone, the latest last. */
  readonly undoable: readonly Invocation[]
  did(line: Invocation, back: Invocation | undefined): void
  /** Undoes the last operation, or reports that it cannot be undone. */
  undo(shell: Pick<Shell, 'run' | 'say'>): Promise<void>
}

/** Maximum number of steps. */
const remembered = 50

export function createUndoing(): Undoing {
  let done: readonly Done[] = []
  return {
    get undoable() {
      return done.flatMap(({ back }) => back ?? [])
    },
    did: (line, back) => void (done = [...done, { line, back }].slice(-remembered)),
    async undo(shell) {
      const last = done.at(-1)
      if (!last) return shell.say('There is nothing to undo', 'dim')
      const before = done.slice(0, -1)
      done = before
      const earlier = before.at(-1)
      const next = earlier?.back ? `; z again undoes ${inWords(earlier.line)}` : ''
      if (!last.back)
        return shell.say(`${inWords(last.line)} cannot be undone: others depend on it${next}`, 'warn')
      const tell = () => `Undone: ${inWords(last.line)}${next}`
      const taken = await shell.run(last.back, { asked: true, tell })
      // An undo is not recorded as undoable: the key would alternate between two states. A failed undo may be
      // retried.
      done = taken ? before : [...before, last]
    },
  }
}

/** A command line as a short text: its name, and its subject. */
function inWords({ name, input }: Invocation): string {
  const about = Object.values(input).find((value) => typeof value === 'string' || Array.isArray(value))
  return `“${shorten([name, about ?? []].flat().join(' '), 40)}”`
}
