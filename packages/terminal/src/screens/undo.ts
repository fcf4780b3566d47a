import type { Line } from '../operations/operation.ts'
import { shorten } from '../paper/width.ts'
import type { Shell } from './shell.ts'

/** What was done, and how it is taken back; nothing does where there is no `back`. */
interface Done {
  readonly line: Line
  readonly back: Line | undefined
}

/** What was done at this terminal, so that the latest can be taken back. */
export interface Undoing {
  /** What can be taken back, the latest last. */
  readonly undoable: readonly Line[]
  did(line: Line, back: Line | undefined): void
  /** Takes back what was done last, or says that it stands. */
  undo(shell: Pick<Shell, 'run' | 'say'>): Promise<void>
}

/** How many steps are remembered. */
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
      if (!last) return shell.say('There is nothing that can be taken back', 'dim')
      const before = done.slice(0, -1)
      done = before
      const earlier = before.at(-1)
      const next = earlier?.back ? `; z again takes back ${inWords(earlier.line)}` : ''
      if (!last.back)
        return shell.say(`${inWords(last.line)} cannot be taken back: others go on with it${next}`, 'warn')
      const tell = () => `Taken back: ${inWords(last.line)}${next}`
      const taken = await shell.run(last.back, { asked: true, tell })
      // Taking back is not itself to be taken back by the same key: it would go in circles. What failed may be tried again.
      done = taken ? before : [...before, last]
    },
  }
}

/** A line in few words: its name, and what it is about. */
function inWords({ name, input }: Line): string {
  const about = Object.values(input).find((value) => typeof value === 'string' || Array.isArray(value))
  return `“${shorten([name, about ?? []].flat().join(' '), 40)}”`
}
