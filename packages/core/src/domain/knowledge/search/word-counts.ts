/** A word: a letter, and two more letters, digits or marks at least. */
const word = /\p{L}[\p{L}\p{N}\p{M}]{2,}/gu
const shortest = 3

/** The words of a text in lower case, one after the other. */
export const wordsIn = (text: string): readonly string[] => text.match(word) ?? []

/** How often each of some words stands in a text, in their order, and how many words there are in all. */
export interface WordCounts {
  counts: Uint16Array
  length: number
}

/**
 * Counts some words in many short texts, in lower case all. No word of a text is cut out of it to be looked up: its hash is made while its end is looked for.
 * @param words each once
 */
export function wordCounter(words: readonly string[]): (text: string) => WordCounts {
  const table = tableOf(words)
  return (text) => {
    const counts = new Uint16Array(words.length)
    const { length: end } = text
    let length = 0
    for (let at = 0; at < end; ) {
      let code = text.charCodeAt(at)
      let kind = kinds[code] || findKind(code)
      const start = at
      let hash = 0
      if (kind === letter)
        do {
          hash = Math.imul(hash, 31) + code
          at += 1
          if (at === end) break
          code = text.charCodeAt(at)
          kind = kinds[code] || findKind(code)
        } while (kind === letter || kind === inner)
      else at += 1
      if (kind === half) return countSlowly(words, text)
      if (at - start < shortest) continue
      length += 1
      const found = table.find(hash, text, start, at)
      if (found >= 0) counts[found] = (counts[found] as number) + 1
    }
    return { counts, length }
  }
}

/** For texts with signs that are written as two halves, such as emoji. */
function countSlowly(words: readonly string[], text: string): WordCounts {
  const places = new Map(words.map((each, n) => [each, n]))
  const counts = new Uint16Array(words.length)
  const found = wordsIn(text)
  for (const each of found) {
    const place = places.get(each)
    if (place !== undefined) counts[place] = (counts[place] as number) + 1
  }
  return { counts, length: found.length }
}

/** Words by their hashes, in a table that is a quarter full at most. */
function tableOf(words: readonly string[]) {
  const mask = 2 ** (2 + Math.ceil(Math.log2(words.length + 1))) - 1
  const slots = new Int16Array(mask + 1).fill(-1)
  const slotOf = (hash: number) => (hash ^ (hash >>> 15)) & mask
  for (const [n, each] of words.entries()) {
    let slot = slotOf(hashOf(each))
    while ((slots[slot] as number) >= 0) slot = (slot + 1) & mask
    slots[slot] = n
  }
  return {
    /** @returns the place of the word that stands in `text` from `start` to `end`, or -1 */
    find(hash: number, text: string, start: number, end: number): number {
      for (let slot = slotOf(hash); ; slot = (slot + 1) & mask) {
        const n = slots[slot] as number
        if (n < 0) return -1
        const each = words[n] as string
        if (each.length === end - start && text.startsWith(each, start)) return n
      }
    },
  }
}

function hashOf(each: string): number {
  let hash = 0
  for (let at = 0; at < each.length; at += 1) hash = Math.imul(hash, 31) + each.charCodeAt(at)
  return hash
}

/** What a sign is to a word, by its UTF-16 code: found out when it is met first. */
const kinds = new Uint8Array(65_536)
const none = 1
const letter = 2
/** A digit or a mark: within words only. */
const inner = 3
/** One of the two halves of a sign. */
const half = 4

function findKind(code: number): number {
  const sign = String.fromCharCode(code)
  const kind = /\p{Cs}/u.test(sign)
    ? half
    : /\p{L}/u.test(sign)
      ? letter
      : /[\p{N}\p{M}]/u.test(sign)
        ? inner
        : none
  kinds[code] = kind
  return kind
}
