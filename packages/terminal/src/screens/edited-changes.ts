import { diffLines, diffWordsWithSpace } from 'diff'
import type { TextDiff } from '../paper/diff.ts'

/** What a comparison may cost: the work grows with the square of what differs, and nobody waits long for a screen. */
const limits = { maxEditLength: 2_000, timeout: 500 }

/** What somebody changed in a text: word by word; line by line, or as a whole, where the two differ too much for that. */
export function editedChanges(before: string, after: string): TextDiff['changes'] {
  const found = diffWordsWithSpace(before, after, limits) ?? diffLines(before, after, limits)
  if (!found)
    return [
      { kind: 'removed', text: before },
      { kind: 'added', text: after },
    ]
  return found.map(({ value, added, removed }) => ({
    kind: added ? ('added' as const) : removed ? ('removed' as const) : ('same' as const),
    text: value,
  }))
}
