import type { NamedThing } from './names.ts'
import type { Spelling } from './spelling.ts'

/** A word of a name: whose it is, and which of its words. */
interface NamePlace<T> {
  item: T
  /** All words of the name. */
  name: readonly string[]
  at: number
}

/** Names by their words, so that a text can be looked through without reading every name for every word of it. */
export interface NameIndex<T extends NamedThing> {
  readonly names: readonly T[]
  /** Whether a word of a text is a word of a name, letter for letter or mistyped. */
  isNearly(word: string, part: string): boolean
  /** Where a word stands in names, letter for letter or mistyped. */
  placesOf(word: string): ReadonlyArray<NamePlace<T>>
}

/** Reads each name once. */
export function indexNames<T extends NamedThing>(
  { wordsOf, isNearly }: Spelling,
  names: readonly T[],
): NameIndex<T> {
  const places = new Map<string, Array<NamePlace<T>>>()
  for (const item of names) {
    const name = wordsOf(item.name)
    for (const [at, word] of name.entries()) {
      const known = places.get(word)
      if (known) known.push({ item, name, at })
      else places.set(word, [{ item, name, at }])
    }
  }
  const words = [...places.keys()].map((word) => ({ word, letters: lettersOf(word) }))
  const found = new Map<string, ReadonlyArray<NamePlace<T>>>()
  return {
    names,
    isNearly,
    placesOf(word) {
      const before = found.get(word)
      if (before) return before
      const letters = lettersOf(word)
      const like = words.filter((other) => mayBeNear(letters, other.letters) && isNearly(word, other.word))
      const all = like.flatMap((other) => places.get(other.word) ?? [])
      found.set(word, all)
      return all
    },
  }
}

/** Which letters and digits there are in a word, as bits. */
function lettersOf(word: string): number {
  let bits = 0
  for (let at = 0; at < word.length; at += 1) bits |= 1 << (word.charCodeAt(at) % 31)
  return bits
}

/** Two letters that are wrong change four bits at the most: what differs more need not be compared letter by letter. */
function mayBeNear(a: number, b: number): boolean {
  let bits = a ^ b
  let count = 0
  while (bits !== 0 && count <= 4) {
    bits &= bits - 1
    count += 1
  }
  return count <= 4
}
