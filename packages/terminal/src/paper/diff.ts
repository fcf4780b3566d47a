import type { Reply } from '@copydesk/client'
import { cleanLines } from './clean.ts'
import { flow, flowText, measured } from './flow.ts'
import { emptyRow, type Row, row, rowWidth, span, type Tone, unlimited } from './row.ts'

export type TextDiff = Reply<'cli', 'GET /activities/:id/diff'>

type Change = TextDiff['changes'][number]
type Kind = Change['kind']

/** How a difference is drawn. */
export interface DiffPaper {
  width: number
  /** Whether colours are seen, which tell old from new; without them marks do. */
  colour?: boolean
  /** Whether it is heard: nothing stands beside anything else. */
  spoken?: boolean
}

const tones: Readonly<Record<Kind, Tone>> = { same: 'plain', added: 'added', removed: 'removed' }
/** Lines that are shown before and after a changed one. */
const around = 1
/** From this width on the old text of what was rewritten stands beside the new one. */
const wideEnough = 100
/** What is kept of the shorter of both texts, below which it has been rewritten: word by word nobody could read it. */
const keptAtLeast = 0.5
/** Words in one piece between two changes that help to read; fewer are there by chance. */
const fewestWords = 3

/** A line of both texts, and what ended it: a break that both have, or one of them only. */
interface Line {
  parts: Change[]
  ended: Kind
  changed: boolean
}

/**
 * What changed from one version to the next, word by word; lines far from any change are left out. What was rewritten is shown
 * as it was and as it is, beside each other where there is room. Without colours what was taken away stands in `[-…-]` and
 * what is new in `{+…+}`.
 */
export function diffRows({ changes }: TextDiff, paper: DiffPaper): Row[] {
  const lines = linesOf(changes)
  const rows: Row[] = []
  let left = -1
  for (let at = 0; at < lines.length; at += 1) {
    if (!lines[at]?.changed) {
      const isNear = lines.slice(Math.max(0, at - around), at + around + 1).some(({ changed }) => changed)
      if (isNear) rows.push(...gapRow(left, at), ...inline(lines.slice(at, at + 1), paper))
      if (isNear) left = at
      continue
    }
    let end = at
    while (lines[end]?.changed) end += 1
    const block = lines.slice(at, end)
    rows.push(...gapRow(left, at), ...(isRewritten(block) ? bothTexts(block, paper) : inline(block, paper)))
    left = end - 1
    at = end - 1
  }
  return left >= 0 && left < lines.length - 1 ? [...rows, row(span('⋯', 'dim'))] : rows
}

const gapRow = (left: number, at: number): Row[] => (at > left + 1 ? [row(span('⋯', 'dim'))] : [])

function linesOf(changes: TextDiff['changes']): Line[] {
  let line: Line = { parts: [], ended: 'same', changed: false }
  const lines = [line]
  for (const { kind, text } of changes) {
    cleanLines(text).forEach((piece, index) => {
      if (index > 0) {
        line.ended = kind
        line = { parts: [], ended: 'same', changed: false }
        lines.push(line)
      }
      if (kind !== 'same' && (piece !== '' || index > 0)) line.changed = true
      if (piece !== '') line.parts.push({ kind, text: piece })
    })
  }
  return lines
}

const lettersIn = (text: string) => text.replace(/\s+/gu, '').length

/** Whether so little is kept that old and new are easier to read one after the other. */
function isRewritten(block: readonly Line[]): boolean {
  const parts = joined(block)
  const sum = (kind: Kind) =>
    parts.reduce((letters, part) => letters + (part.kind === kind ? lettersIn(part.text) : 0), 0)
  const [removed, added] = [sum('removed'), sum('added')]
  if (removed === 0 || added === 0) return false
  const kept = parts.reduce((letters, { kind, text }, index) => {
    const isEdge = index === 0 || index === parts.length - 1
    const counts = kind === 'same' && (isEdge || (text.match(/\S+/gu)?.length ?? 0) >= fewestWords)
    return counts ? letters + lettersIn(text) : letters
  }, 0)
  return kept < keptAtLeast * (sum('same') + Math.min(removed, added))
}

/** The parts of several lines, those of one kind in a row as one. */
function joined(block: readonly Line[]): Change[] {
  const parts: Change[] = []
  for (const { kind, text } of block.flatMap((line) => [...line.parts, { kind: line.ended, text: ' ' }])) {
    const last = parts.at(-1)
    if (last?.kind === kind) last.text += text
    else if (text.trim() !== '') parts.push({ kind, text })
  }
  return parts
}

function inline(lines: readonly Line[], { width, colour = false }: DiffPaper): Row[] {
  return lines.flatMap(({ parts }) =>
    flow(
      parts.map(({ kind, text }) => span(colour ? text : marked(kind, text), tones[kind])),
      measured(width),
    ),
  )
}

function marked(kind: Kind, text: string): string {
  return kind === 'added' ? `{+${text}+}` : kind === 'removed' ? `[-${text}-]` : text
}

/** Between the old text and the new one where they stand beside each other. */
const between = ' │ '

/** What was rewritten, as it was and as it is. */
function bothTexts(block: readonly Line[], { width, spoken = false }: DiffPaper): Row[] {
  const isWide = width >= wideEnough && width !== unlimited && !spoken
  const column = measured(isWide ? Math.floor((width - between.length) / 2) : width)
  const old = oneText(block, 'removed', column)
  const next = oneText(block, 'added', column)
  if (!isWide) return [...old, ...next]
  return Array.from({ length: Math.max(old.length, next.length) }, (_, at): Row => {
    const line = old[at] ?? emptyRow
    return [
      ...line,
      span(' '.repeat(column - rowWidth(line))),
      span(between, 'dim'),
      ...(next[at] ?? emptyRow),
    ]
  })
}

/** The one of both texts that has what was taken away, or what is new. */
function oneText(block: readonly Line[], kind: 'removed' | 'added', width: number): Row[] {
  const tone = kind === 'removed' ? 'bad' : 'good'
  const sign = [span(kind === 'removed' ? '- ' : '+ ', tone)]
  let line = ''
  const lines: string[] = []
  for (const { parts, ended } of block) {
    line += parts
      .filter((part) => part.kind === 'same' || part.kind === kind)
      .map(({ text }) => text)
      .join('')
    if (ended !== 'same' && ended !== kind) continue
    lines.push(line)
    line = ''
  }
  if (line !== '') lines.push(line)
  return lines.flatMap((text) => flowText(text, width, { first: sign, rest: sign }, tone))
}
