import type { Spelling } from './spelling.ts'
import { keywords, smallWords } from './vocabulary.ts'

/**
 * Whether a title has a word of its own for each word that was said. Words that people use for other things are never
 * mistyped ones, short ones are found inside of too many others, and a mistyped word alone is not taken for a common one.
 * @param others words that were said as well and may be a part of the title
 */
export function accountsFor(
  { normalize, isNearly }: Spelling,
  title: string,
  said: string,
  others: readonly string[] = [],
): boolean {
  const wordsOf = (text: string) =>
    normalize(text)
      .split(/[^\p{L}\p{N}]+/u)
      .filter((word) => word !== '')
  // The same word, a part of it, or its beginning, mistyped or not.
  const isLike = (word: string, other: string) =>
    other.includes(word) || isNearly(word, other) || isNearly(word, other.slice(0, word.length))
  if (normalize(title).includes(normalize(said).trim()) && others.length === 0) return true
  const words = wordsOf(title)
  for (const other of others) take(words, (word) => stem(word) === stem(other))
  const all = wordsOf(said)
  const rest = all.filter((word) => !take(words, (other) => stem(other) === stem(word)))
  const isSure = rest.length < all.length
  return rest.every(
    (word) =>
      !ordinary.has(word) &&
      word.length > 3 &&
      take(words, (other) => (isSure || !ordinary.has(other)) && isLike(word, other)),
  )
}

const ordinary = new Set([...smallWords, ...keywords])

const stem = (word: string) => (word.length > 3 ? word.replace(/s$/, '') : word)

/** Takes the first word that fits out of a list. @returns whether there was one */
function take(words: string[], fits: (word: string) => boolean): boolean {
  const at = words.findIndex(fits)
  if (at !== -1) words.splice(at, 1)
  return at !== -1
}
