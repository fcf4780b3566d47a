import type { Key } from 'ink'
import { lettersOf } from '../render/width.ts'

/** A key as bindings name it: the typed letter, or a name such as `enter`, `up`, `ctrl+r`. */
export type KeyName = string

const named = [
  ['upArrow', 'up'],
  ['downArrow', 'down'],
  ['leftArrow', 'left'],
  ['rightArrow', 'right'],
  ['pageDown', 'pagedown'],
  ['pageUp', 'pageup'],
  ['home', 'home'],
  ['end', 'end'],
  ['return', 'enter'],
  ['escape', 'escape'],
  ['tab', 'tab'],
  ['backspace', 'backspace'],
  ['delete', 'delete'],
] as const satisfies ReadonlyArray<readonly [keyof Key, KeyName]>

/** The keys of one chunk of input: fast typing or a slow connection puts several in one. */
export function keysOf(input: string, key: Key): KeyName[] {
  const name = named.find(([flag]) => key[flag])?.[1]
  if (name) return [name === 'tab' && key.shift ? 'shift+tab' : name]
  if (key.ctrl) return [`ctrl+${input}`]
  if (key.meta) return [`alt+${input}`]
  return lettersOf(input).map(keyOf)
}

const signs: Readonly<Record<string, KeyName>> = {
  ' ': 'space',
  '\r': 'enter',
  '\n': 'enter',
  '\t': 'tab',
  '\b': 'backspace',
  '\u007f': 'backspace',
  '\u001b': 'escape',
}

/** A key of a chunk of several: one that types nothing is identified by its control character. */
function keyOf(letter: string): KeyName {
  const name = signs[letter]
  if (name) return name
  const code = letter.codePointAt(0) ?? 0
  return code >= 1 && code <= 26 ? `ctrl+${String.fromCodePoint(code + 96)}` : letter
}

/** The text that a key types, if any. */
export function typed(key: KeyName): string | undefined {
  if (key === 'space') return ' '
  return lettersOf(key).length === 1 ? key : undefined
}
