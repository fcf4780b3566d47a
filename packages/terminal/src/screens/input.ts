import { cleanLines } from '../render/clean.ts'
import { row, type StyledLine, span } from '../render/row.ts'
import { lettersOf, widthOf } from '../render/width.ts'
import { type KeyName, typed } from './keys.ts'

/** An edited line: its characters, and the position of the cursor. */
export interface LineInput {
  readonly letters: readonly string[]
  readonly at: number
}

export function inputOf(text: string): LineInput {
  const letters = lettersOf(text)
  return { letters, at: letters.length }
}

export function textOf({ letters }: LineInput): string {
  return letters.join('')
}

/** The line after a key. @returns undefined for a key that does not edit */
export function write(line: LineInput, key: KeyName): LineInput | undefined {
  const { letters, at } = line
  switch (key) {
    case 'left':
      return { letters, at: Math.max(0, at - 1) }
    case 'right':
      return { letters, at: Math.min(letters.length, at + 1) }
    case 'home':
    case 'ctrl+a':
      return { letters, at: 0 }
    case 'end':
    case 'ctrl+e':
      return { letters, at: letters.length }
    // Terminals send either for the backspace key.
    case 'backspace':
      return without(line, Math.max(0, at - 1), at)
    case 'delete':
      return without(line, at, at + 1)
    case 'ctrl+u':
      return without(line, 0, at)
    case 'ctrl+k':
      return without(line, at, letters.length)
    case 'ctrl+w':
      return without(line, wordBefore(line), at)
    default: {
      const text = typed(key)
      return text === undefined ? undefined : insert(line, text)
    }
  }
}

/** Inserts text at the cursor; pasted lines are joined to one. */
export function insert({ letters, at }: LineInput, text: string): LineInput {
  const added = lettersOf(cleanLines(text).join(' '))
  return { letters: letters.toSpliced(at, 0, ...added), at: at + added.length }
}

function without({ letters }: LineInput, from: number, to: number): LineInput {
  return { letters: letters.toSpliced(from, to - from), at: from }
}

function wordBefore({ letters, at }: LineInput): number {
  let from = at
  while (from > 0 && letters[from - 1] === ' ') from -= 1
  while (from > 0 && letters[from - 1] !== ' ') from -= 1
  return from
}

/** The visible part of the line, scrolled so that the cursor is visible. */
export function inputRow(line: LineInput, width: number): StyledLine {
  let from = 0
  const room = width - 1
  while (widthOf(line.letters.slice(from, line.at).join('')) > room) from += 1
  const before = line.letters.slice(from, line.at).join('')
  const under = line.letters[line.at] ?? ' '
  let after = ''
  let used = widthOf(before) + widthOf(under)
  for (const letter of line.letters.slice(line.at + 1)) {
    used += widthOf(letter)
    if (used > width) break
    after += letter
  }
  return row(before, span(under, 'chosen'), after)
}
