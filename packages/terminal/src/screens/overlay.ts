import { flowText } from '../render/flow.ts'
import { cutRow, emptyRow, row, type StyledLine, span } from '../render/row.ts'
import { inputOf, inputRow, insert, type LineInput, textOf, write } from './input.ts'
import type { KeyName } from './keys.ts'
import type { Size } from './screen.ts'

/** A prompt that has to be answered before the screen below continues. */
export interface Overlay {
  /** Whether letters are typed into it, so that keys have no other meaning. */
  readonly writes: boolean
  /** Lines at the bottom of the screen. */
  rows(size: Size): StyledLine[]
  /** What the keys do, for the footer. */
  hint: string
  /** @returns true when it was answered and is closed */
  onKey(key: KeyName): boolean
  onPaste?(text: string): void
}

/** One of two ways to continue after a prompt. */
export interface OverlayResult {
  /** What happens next, and the label of the key that switches to the other way. */
  readonly ways: ReadonlyArray<{ next: string; tab: string }>
  turned(at: number): void
}

export interface PromptOptions {
  /** Initial text. */
  text?: string
  /** Whether it must not be empty. */
  needed?: boolean
  /** Called after each key that changes the line. */
  changed?(text: string): void
  /** What may happen next: `tab` switches from one to the other. */
  turn?: OverlayResult
}

/** Asks for a line. `tell` gets undefined when the user leaves it. */
export function prompt(
  question: string,
  tell: (text: string | undefined) => void,
  { text = '', needed = false, changed, turn }: PromptOptions = {},
): Overlay {
  let line: LineInput = inputOf(text)
  let warned = false
  let at = 0
  const wayRows = (width: number): StyledLine[] => {
    const way = turn?.ways[at]
    if (!way) return []
    const next = flowText(way.next, width, undefined, at === 0 ? 'plain' : 'warn')
    return [...next, row(span(`tab: ${way.tab}`, 'dim'))]
  }
  const put = (next: LineInput) => {
    const isOther = textOf(next) !== textOf(line)
    line = next
    if (isOther) changed?.(textOf(line))
  }
  return {
    writes: true,
    hint: 'enter: continue · esc: leave',
    rows({ width, height }) {
      const asked = flowText(question, width, undefined, 'strong')
      const more = [...wayRows(width), ...(warned ? [row(span('It cannot be empty', 'warn'))] : [])]
      // The input and what happens next are always visible; a long question is cut.
      const room = Math.max(1, height - 1 - more.length)
      const head = [...asked.slice(0, room), ...more].slice(0, Math.max(0, height - 1))
      return [...head, [span('> ', 'accent'), ...inputRow(line, width - 2)]]
    },
    onKey(key) {
      if (key === 'tab' && turn) {
        at = (at + 1) % turn.ways.length
        turn.turned(at)
        return false
      }
      if (key === 'escape') {
        tell(undefined)
        return true
      }
      if (key === 'enter') {
        warned = needed && textOf(line).trim() === ''
        if (warned) return false
        tell(textOf(line))
        return true
      }
      put(write(line, key) ?? line)
      return false
    },
    onPaste: (pasted) => put(insert(line, pasted)),
  }
}

/** What a confirmation is about: rows that are cut at the edge, or those that fit a width. */
export type PreviewRows = readonly StyledLine[] | ((width: number) => readonly StyledLine[])

/** Asks for a confirmation, and shows the rows that would be affected. */
export function confirmation(question: string, preview: PreviewRows, tell: (yes: boolean) => void): Overlay {
  return {
    writes: false,
    hint: 'y: yes · n: no',
    rows({ width, height }) {
      const room = Math.max(1, height - 3)
      const all = typeof preview === 'function' ? preview(width - 2) : preview
      const shown = all.slice(0, all.length > room ? room - 1 : room)
      const hidden = all.length - shown.length
      return [
        ...shown.map((line) => cutRow([span('  '), ...line], width)),
        ...(hidden > 0 ? [row(span(`  … and ${hidden} more`, 'dim'))] : []),
        emptyRow,
        ...flowText(question, width - 8, undefined, 'warn'),
      ]
    },
    onKey(key) {
      const yes = key === 'y' || key === 'Y'
      if (!yes && key !== 'n' && key !== 'N' && key !== 'escape') return false
      tell(yes)
      return true
    },
  }
}

/** Asks for one of several options; `tell` gets undefined for none. */
export function choice(
  question: string,
  options: readonly string[],
  tell: (option: string | undefined) => void,
): Overlay {
  let at = 0
  return {
    writes: false,
    hint: '↑↓: choose · enter: select · esc: leave',
    rows({ width, height }) {
      const asked = flowText(question, width, undefined, 'strong')
      const room = Math.max(1, height - asked.length - 1)
      const top = Math.max(0, Math.min(at - Math.floor(room / 2), options.length - room))
      return [
        ...asked,
        ...options.slice(top, top + room).map((option, index) => {
          const chosen = top + index === at
          return cutRow(row(span(`${chosen ? '›' : ' '} ${option}`, chosen ? 'chosen' : 'plain')), width)
        }),
      ]
    },
    onKey(key) {
      if (key === 'up' || key === 'k') at = Math.max(0, at - 1)
      else if (key === 'down' || key === 'j') at = Math.min(options.length - 1, at + 1)
      else if (key === 'enter' || key === 'escape') {
        tell(key === 'enter' ? options[at] : undefined)
        return true
      } else if (/^[1-9]$/.test(key) && Number(key) <= options.length) {
        tell(options[Number(key) - 1])
        return true
      }
      return false
    },
  }
}
