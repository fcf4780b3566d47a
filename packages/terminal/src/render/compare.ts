import { diffLines, diffWordsWithSpace } from 'diff'
import type { TextDiff } from './diff.ts'

type Changes = TextDiff['changes']

/** When both texts are longer than this many characters, they are compared by lines. */
const wordLimit = 200_000
/** Maximum number of differing words or lines before a coarser comparison is used: the cost is quadratic. */
const maxEditLength = 600

/**
 * The removed and added parts of a text: by words, of long or very different texts by lines, otherwise as a
 * whole.
 */
export function changesBetween(before: string, after: string): Changes {
  const words =
    before.length + after.length > wordLimit
      ? undefined
      : diffWordsWithSpace(before, after, { maxEditLength })
  const parts = words ?? diffLines(before, after, { maxEditLength })
  if (!parts) return wholesale(before, after)
  return parts.map(({ value, added, removed }) => ({
    kind: added ? 'added' : removed ? 'removed' : 'same',
    text: value,
  }))
}

/** Everything between the common lines at both ends, as one change. */
function wholesale(before: string, after: string): Changes {
  const old = before.split('\n')
  const next = after.split('\n')
  const most = Math.min(old.length, next.length)
  let head = 0
  while (head < most && old[head] === next[head]) head += 1
  let tail = 0
  while (tail < most - head && old[old.length - 1 - tail] === next[next.length - 1 - tail]) tail += 1
  const middle = (lines: readonly string[]) => lines.slice(head, lines.length - tail).join('\n')
  const parts: Changes = [
    {
      kind: 'same',
      text: old
        .slice(0, head)
        .map((line) => `${line}\n`)
        .join(''),
    },
    { kind: 'removed', text: middle(old) },
    { kind: 'added', text: middle(next) },
    {
      kind: 'same',
      text: old
        .slice(old.length - tail)
        .map((line) => `\n${line}`)
        .join(''),
    },
  ]
  return parts.filter(({ text }) => text !== '')
}
