import { normalize } from '../../../kernel/text.ts'
import { functionWords, type StemmedLanguage } from '../stemming/function-words.ts'
import { stemsIn } from '../stemming/stems.ts'
import type { WordTerm } from './words.ts'

/** What is looked for in a text. */
export interface SearchTerms {
  /** Words, and signs such as `AB-1234`: letters and digits, within them `-`, `_`, `.` and `/`. One of them is enough. */
  words: string[]
  /** The same with those that stand in most texts. */
  allWords: string[]
  /** What stood in quotation marks, and signs: what has them comes first. */
  exact: string[]
}

/** How many words of a query count. */
const mostTerms = 64

const quoted = /"([^"]*)"|“([^“”]*)”/gu
const word = /[\p{L}\p{N}\p{M}]+(?:[-_./][\p{L}\p{N}\p{M}]+)*/gu
const part = /[\p{L}\p{N}\p{M}]+/gu

/**
 * Takes a query apart. Words that stand in most texts are left out unless there are no others.
 * @returns terms without any sign that a database could take for an operator
 */
export function termsOf(query: string): SearchTerms {
  const phrases = [...query.matchAll(quoted)].map(([, straight, curly]) => straight ?? curly ?? '')
  const found = (query.match(word) ?? []).slice(0, mostTerms)
  const signs = found.filter(isSign)
  const words = unique(found.flatMap((each) => (isSign(each) ? [each] : (each.match(part) ?? [])))).slice(
    0,
    mostTerms,
  )
  const telling = words.filter((each) => !functionWords.en.has(each.toLowerCase()))
  return {
    words: telling.length > 0 ? telling : words,
    allWords: words,
    exact: unique([...phrases.flatMap(phraseOf), ...signs]).slice(0, mostTerms),
  }
}

/** A name with digits: of a product, an error, a version, a date. */
function isSign(found: string): boolean {
  return /\p{N}/u.test(found) && /[\p{L}\-_./]/u.test(found)
}

/** How many forms of words a query has, over all languages. */
const mostForms = 128

/** What is looked for, in the languages of what is searched. */
export interface Forms {
  words: WordTerm[]
  exact: WordTerm[]
}

/**
 * The forms in which the index has the words and exact terms of a query, in each of some languages. A word that stands in most texts of a language has no
 * form in it, unless nothing else is asked for. With more than two languages, fewer words count than otherwise.
 */
export async function formsOf(
  { allWords, exact }: SearchTerms,
  languages: readonly StemmedLanguage[],
): Promise<Forms> {
  const stemmers = await Promise.all(
    languages.map(async (language) => ({ language, stem: await stemsIn(language) })),
  )
  const most = Math.floor(mostForms / Math.max(2, languages.length))
  const forms = (term: string, isLeftOut: (language: StemmedLanguage) => boolean) =>
    unique(stemmers.flatMap(({ language, stem }) => (isLeftOut(language) ? [] : [stem(term)])))
  const all = allWords.slice(0, most)
  const telling = all
    .map((term) => {
      const isLeftOut = (language: StemmedLanguage) => functionWords[language].has(term.toLowerCase())
      return { forms: forms(term, isLeftOut), isFiller: languages.some(isLeftOut) }
    })
    .filter((found) => found.forms.length > 0)
  const whole = (terms: readonly string[]) =>
    terms.map((term) => ({ forms: forms(term, () => false), isFiller: false }))
  return { words: telling.length > 0 ? telling : whole(all), exact: whole(exact.slice(0, most)) }
}

/** The words of a phrase, as one text; nothing for a phrase without words. */
function phraseOf(phrase: string): string[] {
  const words = (phrase.match(word) ?? []).slice(0, mostTerms)
  return words.length === 0 ? [] : [words.join(' ')]
}

const unique = (texts: readonly string[]): string[] => [
  ...new Map(texts.map((text) => [text.toLowerCase(), text])).values(),
]

/**
 * How many of some terms stand in a text as they are: in any case, with or without accents, and not as parts of longer words or signs.
 * Between the words of a phrase may be any other characters.
 */
export function exactCounter(exact: readonly string[]): (text: string) => number {
  const wanted = exact.map((each) => {
    const words = normalize(each).split(' ').map(asPattern)
    return new RegExp(`${notWithin}${words.join('[^\\p{L}\\p{N}]{1,9}')}${notGoingOn}`, 'u')
  })
  return (text) => {
    const folded = wanted.length === 0 ? '' : normalize(text)
    return wanted.filter((each) => each.test(folded)).length
  }
}

/** `RegExp.escape`, which Node 22 lacks. */
const asPattern = (word: string) => word.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')

const notWithin = '(?<![\\p{L}\\p{N}]|[\\p{L}\\p{N}][-_.])'
const notGoingOn = '(?![\\p{L}\\p{N}]|[-_.][\\p{L}\\p{N}])'
