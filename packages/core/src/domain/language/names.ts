import { fold } from '../text-match.ts'
import { keywords, smallWords } from './vocabulary.ts'

export interface Named {
  id: string
  name: string
}

/** Words of a text that were found to be a name: from the first to before the last. */
export interface Mention<T> {
  items: T[]
  from: number
  to: number
  /** False for a part of the name. */
  whole: boolean
  /** Those that are named as well somewhere else. */
  elsewhere: T[]
}

/** The words of a name as a person would type them. */
export function wordsOf(text: string): string[] {
  return fold(text)
    .replace(/[’']s\b/g, '')
    .split(/[^\p{L}\p{N}']+/u)
    .filter((word) => word !== '' && word !== 'and')
}

/** True for the same word, and for one with a letter wrong from four letters on, or two from eight on. */
export function isNearly(word: string, other: string): boolean {
  if (word === other) return true
  const shorter = Math.min(word.length, other.length)
  const allowed = shorter < 4 ? 0 : shorter < 8 ? 1 : 2
  return Math.abs(word.length - other.length) <= allowed && distance(word, other) <= allowed
}

/** How many letters have to be changed, added, left out or swapped with their neighbour. */
export function distance(a: string, b: string): number {
  let before: number[] = []
  let above = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i]
    for (let j = 1; j <= b.length; j += 1) {
      const changed = (above[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      let best = Math.min((above[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, changed)
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      if (swapped) best = Math.min(best, (before[j - 2] ?? 0) + 1)
      row.push(best)
    }
    before = above
    above = row
  }
  return above[b.length] ?? 0
}

/** Names stand at the beginning; what comes after so many words is what an agent is told, or a reason. */
const mostWords = 80

const ordinary = new Set([...smallWords, ...keywords])
const before = new Set([
  'for',
  'of',
  'at',
  'from',
  'tenant',
  'client',
  'customer',
  'by',
  'about',
  'with',
  // Another name, after which only an "and" was left out.
  '@tenant',
])

/**
 * Finds which of several names a text speaks of: the whole of one before a part of it, letter for letter before mistyped, the
 * longest before shorter ones. A name that consists of ordinary words counts only where a name is expected.
 * @param words of the text, folded
 */
export function findNamed<T extends Named>(
  words: readonly string[],
  known: readonly T[],
): Mention<T> | undefined {
  let best: (Mention<T> & { score: number }) | undefined
  const heard = words.slice(0, mostWords)
  for (const item of known) {
    const name = wordsOf(item.name)
    // Of a name that begins with an article or a first name people may say the rest alone.
    const places = name.flatMap((_, skipped) => heard.map((_, from) => ({ from, skipped })))
    for (const { from, skipped } of places) {
      const found = matchAt(heard, from, name, skipped)
      if (!found) continue
      const { length, score, whole } = found
      if (!best || score > best.score)
        best = { items: [item], from, to: from + length, score, whole, elsewhere: [] }
      else if (score === best.score && !best.items.includes(item)) {
        if (from === best.from) best.items.push(item)
        else if (!best.elsewhere.includes(item)) best.elsewhere.push(item)
      }
    }
  }
  return best
}

function matchAt(words: readonly string[], from: number, name: readonly string[], skipped: number) {
  let length = 0
  let exact = 0
  let letters = 0
  while (skipped + length < name.length) {
    const [word, part] = [words[from + length], name[skipped + length]]
    if (word === undefined || part === undefined || !isNearly(word, part)) break
    if (word === part) exact += 1
    letters += part.length
    length += 1
  }
  if (length === 0) return undefined
  const whole = length === name.length && skipped === 0
  const said = words.slice(from, from + length)
  const leading = words[from - 1] === 'the' ? words[from - 2] : words[from - 1]
  const isExpected = before.has(leading ?? '')
  const isTelling = said.some((word) => !ordinary.has(word) && !/^\d+$/.test(word))
  if (!(isTelling || (whole && isExpected))) return undefined
  // Part of a name has to be more than a syllable.
  if (!whole && letters < 3) return undefined
  // The rest of a name is one only where a name is expected, and letter for letter.
  if (skipped > 0 && !(isExpected && exact === length)) return undefined
  return {
    length,
    whole,
    score: (whole ? 1_000 : 0) + (exact === length ? 100 : 0) + (isExpected ? 10 : 0) + length,
  }
}

/** The names that come nearest to what somebody may have meant, at most `count`. */
export function nearest<T extends Named>(said: string, known: readonly T[], count = 5): T[] {
  const target = wordsOf(said).join(' ')
  return known
    .map((item) => ({ item, far: distance(target.slice(0, 60), wordsOf(item.name).join(' ').slice(0, 60)) }))
    .toSorted((a, b) => a.far - b.far || a.item.name.localeCompare(b.item.name))
    .slice(0, count)
    .map(({ item }) => item)
}
