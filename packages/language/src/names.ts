import type { NameIndex } from './name-index.ts'
import type { Spelling } from './spelling.ts'
import { keywords, smallWords } from './vocabulary.ts'

export interface NamedThing {
  id: string
  name: string
}

/** Words of a text that were found to be a name: from the first to before the last. */
export interface FoundName<T> {
  items: T[]
  from: number
  to: number
  /** False for a part of the name. */
  whole: boolean
  /** Those that are named as well somewhere else. */
  elsewhere: T[]
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
 * longest before shorter ones. A name that consists of ordinary words counts only where a name is expected. The work grows
 * with the words that are looked at, of which there are few, and with the names that have one of them.
 * @param words of the text, folded
 * @param skipped names that are not looked for
 */
export function findNamed<T extends NamedThing>(
  words: readonly string[],
  index: NameIndex<T>,
  skipped: ReadonlySet<T> = new Set(),
): FoundName<T> | undefined {
  let best: Best<T> | undefined
  const heard = words.slice(0, mostWords)
  for (const [from, word] of heard.entries()) {
    const leading = heard[from - 1] === 'the' ? heard[from - 2] : heard[from - 1]
    const isExpected = before.has(leading ?? '')
    // Of a name that begins with an article or a first name people may say the rest alone, where a name is expected.
    for (const { item, name, at } of index.placesOf(word)) {
      if ((at > 0 && !isExpected) || skipped.has(item)) continue
      const length = matchedWords(heard, from, name, at, index)
      const score = scoreOf(heard, from, name, at, length, isExpected)
      if (score === undefined || score < (best?.score ?? 0)) continue
      if (!best || score > best.score) {
        const whole = length === name.length && at === 0
        best = { items: new Set([item]), from, to: from + length, whole, elsewhere: new Set(), score }
      } else if (from === best.from) best.items.add(item)
      else if (!best.items.has(item)) best.elsewhere.add(item)
    }
  }
  return best && { ...best, items: [...best.items], elsewhere: [...best.elsewhere] }
}

interface Best<T> {
  items: Set<T>
  from: number
  to: number
  whole: boolean
  elsewhere: Set<T>
  score: number
}

/** How many words of a name stand in a text from one place on. */
function matchedWords(
  words: readonly string[],
  from: number,
  name: readonly string[],
  skipped: number,
  { isNearly }: Pick<Spelling, 'isNearly'>,
): number {
  let length = 1
  while (skipped + length < name.length) {
    const [word, part] = [words[from + length], name[skipped + length]]
    if (word === undefined || part === undefined || !isNearly(word, part)) break
    length += 1
  }
  return length
}

/** How well words are a name; undefined where they are none. */
function scoreOf(
  words: readonly string[],
  from: number,
  name: readonly string[],
  skipped: number,
  length: number,
  isExpected: boolean,
): number | undefined {
  const whole = length === name.length && skipped === 0
  let [exact, letters, isTelling] = [0, 0, false]
  for (let at = 0; at < length; at += 1) {
    const [word = '', part = ''] = [words[from + at], name[skipped + at]]
    if (word === part) exact += 1
    letters += part.length
    isTelling ||= !ordinary.has(word) && !/^\d+$/.test(word)
  }
  if (!(isTelling || (whole && isExpected))) return undefined
  // Part of a name has to be more than a syllable, and its rest letter for letter.
  if (!whole && letters < 3) return undefined
  if (skipped > 0 && exact !== length) return undefined
  return (whole ? 1_000 : 0) + (exact === length ? 100 : 0) + (isExpected ? 10 : 0) + length
}

/** How many letters of two names are compared. */
const compared = 24

/** The most names that are told as what someone may have meant. */
const mostNear = 5

/** The names that come nearest to what someone may have meant. */
export function nearest<T extends NamedThing>(
  { wordsOf, distance }: Spelling,
  said: string,
  known: readonly T[],
): T[] {
  const start = (text: string) => wordsOf(text).join(' ').slice(0, compared)
  const target = start(said)
  return known
    .map((item) => ({ item, far: distance(target, start(item.name)) }))
    .toSorted((a, b) => a.far - b.far || a.item.name.localeCompare(b.item.name))
    .slice(0, mostNear)
    .map(({ item }) => item)
}

/** Whether each of several words is one of a name, letter for letter or mistyped. */
export function isCalled({ wordsOf, isNearly }: Spelling, name: string, words: readonly string[]): boolean {
  const parts = wordsOf(name)
  return words.every((word) => parts.some((part) => isNearly(word, part)))
}
