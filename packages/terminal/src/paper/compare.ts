import { diffLines, diffWordsWithSpace } from 'diff'
import type { TextDiff } from './diff.ts'

type Changes = TextDiff['changes']

/** Above this many characters in both, texts are compared by lines. */
const wordLimit = 200_000
/** Words or lines that may differ before a coarser comparison has to do: the work grows with their square, and nobody types meanwhile. */
const maxEditLength = 600

/** What was taken out of a text and put into it: by words, of long or very different texts by lines, and else as a whole. */
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

/** All between the lines at both ends that are the same. */
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
