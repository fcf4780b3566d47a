import type { Reply } from '@copydesk/client'
import { cleanLines } from './clean.ts'
import { flow } from './flow.ts'
import { type Row, row, type Span, span, type Tone } from './row.ts'

export type TextDiff = Reply<'cli', 'GET /activities/:id/diff'>

const tones: Readonly<Record<TextDiff['changes'][number]['kind'], Tone>> = {
  same: 'plain',
  added: 'added',
  removed: 'removed',
}
/** Lines that are shown before and after a changed one. */
const around = 1

/**
 * What changed from one version to the next, word by word. What was taken away stands in `[-…-]` and what is new in `{+…+}`,
 * so that it is told without colours as well; lines far from any change are left out.
 */
export function diffRows({ changes }: TextDiff, width: number): Row[] {
  const lines: Span[][] = [[]]
  const changed = new Set<number>()
  for (const { kind, text } of changes) {
    cleanLines(text).forEach((line, index) => {
      if (index > 0) lines.push([])
      if (kind !== 'same' && (line !== '' || index > 0)) changed.add(lines.length - 1)
      if (line !== '') lines.at(-1)?.push(span(marked(kind, line), tones[kind]))
    })
  }
  const shown = new Set(
    [...changed].flatMap((at) => Array.from({ length: 2 * around + 1 }, (_, index) => at - around + index)),
  )
  const rows: Row[] = []
  let last = -1
  lines.forEach((line, at) => {
    if (!shown.has(at)) return
    if (at > last + 1) rows.push(row(span('⋯', 'dim')))
    rows.push(...flow(line, width))
    last = at
  })
  if (last >= 0 && last < lines.length - 1) rows.push(row(span('⋯', 'dim')))
  return rows
}

function marked(kind: TextDiff['changes'][number]['kind'], text: string): string {
  return kind === 'added' ? `{+${text}+}` : kind === 'removed' ? `[-${text}-]` : text
}
