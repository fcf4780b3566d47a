import type { Reply } from '@copydesk/client'
import { cleanLines } from './clean.ts'
import { flow, flowText, measured } from './flow.ts'
import { emptyRow, row, rowWidth, type StyledLine, span, type Tone } from './row.ts'
import { unlimited } from './unlimited.ts'

export type TextDiff = Reply<'cli', 'GET /activities/:id/diff'>

type Change = TextDiff['changes'][number]
type Kind = Change['kind']

/** How a difference is rendered. */
export interface DiffOptions {
  width: number
  /** Whether colours are visible to distinguish old from new; otherwise markers do. */
  colour?: boolean
  /** Whether a screen reader is in use: nothing is shown side by side. */
  spoken?: boolean
}

const tones: Readonly<Record<Kind, Tone>> = { same: 'plain', added: 'added', removed: 'removed' }
/** Unchanged lines that are shown before and after a changed one. */
const around = 1
/** Minimum width to show the old and new text of a rewritten part side by side. */
const wideEnough = 100
/**
 * The share of the shorter text that is kept, below which the text counts as rewritten: a word-by-word diff
 * would be unreadable.
 */
const keptAtLeast = 0.5
/** The minimum number of unchanged words between two changes that count as kept; fewer are coincidence. */
const fewestWords = 3

/** A line of both texts, and its end: a line break of both, or of one of them only. */
interface Line {
  parts: Change[]
  ended: Kind
  changed: boolean
}

/**
 * What changed from one version to the next, word by word; lines far from any change are omitted. Rewritten
 * parts are shown as old and new text, side by side when there is room. Without colours removed text is in
 * `[-…-]` and added text in `{+…+}`.
 */
export function diffRows({ changes }: TextDiff, renderOptions: DiffOptions): StyledLine[] {
  const lines = linesOf(changes)
  const rows: StyledLine[] = []
  let left = -1
  for (let at = 0; at < lines.length; at += 1) {
    if (!lines[at]?.changed) {
      const isNear = lines.slice(Math.max(0, at - around), at + around + 1).some(({ changed }) => changed)
      if (isNear) rows.push(...gapRow(left, at), ...inline(lines.slice(at, at + 1), renderOptions))
      if (isNear) left = at
      continue
    }
    let end = at
    while (lines[end]?.changed) end += 1
    const block = lines.slice(at, end)
    rows.push(
      ...gapRow(left, at),
      ...(isRewritten(block) ? bothTexts(block, renderOptions) : inline(block, renderOptions)),
    )
    left = end - 1
    at = end - 1
  }
  return left >= 0 && left < lines.length - 1 ? [...rows, row(span('⋯', 'dim'))] : rows
}

const gapRow = (left: number, at: number): StyledLine[] => (at > left + 1 ? [row(span('⋯', 'dim'))] : [])

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

/** The parts of several lines, adjacent parts of the same kind merged. */
function joined(block: readonly Line[]): Change[] {
  const parts: Change[] = []
  for (const { kind, text } of block.flatMap((line) => [...line.parts, { kind: line.ended, text: ' ' }])) {
    const last = parts.at(-1)
    if (last?.kind === kind) last.text += text
    else if (text.trim() !== '') parts.push({ kind, text })
  }
  return parts
}

function inline(lines: readonly Line[], { width, colour = false }: DiffOptions): StyledLine[] {
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

/** The separator of old and new text side by side. */
const between = ' │ '

/** A rewritten part, as old and new text. */
function bothTexts(block: readonly Line[], { width, spoken = false }: DiffOptions): StyledLine[] {
  const isWide = width >= wideEnough && width !== unlimited && !spoken
  const column = measured(isWide ? Math.floor((width - between.length) / 2) : width)
  const old = oneText(block, 'removed', column)
  const next = oneText(block, 'added', column)
  if (!isWide) return [...old, ...next]
  return Array.from({ length: Math.max(old.length, next.length) }, (_, at): StyledLine => {
    const line = old[at] ?? emptyRow
    return [
      ...line,
      span(' '.repeat(column - rowWidth(line))),
      span(between, 'dim'),
      ...(next[at] ?? emptyRow),
    ]
  })
}

/** The side with removed text, or with added text. */
function oneText(block: readonly Line[], kind: 'removed' | 'added', width: number): StyledLine[] {
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
