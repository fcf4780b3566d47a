import { normalize } from '../../../kernel/text.ts'
import type { StemmedLanguage } from './function-words.ts'

/** All but English, which the databases stem themselves. */
type OtherLanguage = Exclude<StemmedLanguage, 'en'>

/** Snowball stemmers, each loaded when the first text of its language comes. */
const stemmers: Readonly<Record<OtherLanguage, () => Promise<{ stemmer(word: string): string }>>> = {
  de: () => import('@orama/stemmers/german'),
  fr: () => import('@orama/stemmers/french'),
  es: () => import('@orama/stemmers/spanish'),
  it: () => import('@orama/stemmers/italian'),
  pt: () => import('@orama/stemmers/portuguese'),
  nl: () => import('@orama/stemmers/dutch'),
  sv: () => import('@orama/stemmers/swedish'),
  da: () => import('@orama/stemmers/danish'),
  no: () => import('@orama/stemmers/norwegian'),
  fi: () => import('@orama/stemmers/finnish'),
  ru: () => import('@orama/stemmers/russian'),
}

/**
 * What endings become before a word is stemmed. Accents are taken off first, since people leave them out when they search: an ending
 * that a stemmer knows with its accent only gets it back.
 */
const endings: Partial<Record<OtherLanguage, ReadonlyArray<readonly [RegExp, string]>>> = {
  es: [[/([cs])ion$/, '$1ión']],
  // The plural of `-ão`, which the stemmer does not know.
  pt: [[/oes$/, 'ao']],
}

/** A word as its stemmer takes it. In Russian `й` is a letter of its own, which no one leaves out. */
function prepare(language: OtherLanguage, word: string): string {
  const lower = word.normalize('NFC').toLowerCase()
  if (language === 'ru') return lower.replaceAll('ё', 'е')
  return (endings[language] ?? []).reduce(
    (changed, [ending, accented]) => changed.replace(ending, accented),
    normalize(lower),
  )
}

/** A run of letters and digits. */
const token = /[\p{L}\p{N}\p{M}]+/gu
const digit = /\p{N}/u

/** Longer words are no words of a language, and some stemmers take long for them. */
const longest = 64

/**
 * What turns a text of a language into the stems of its words, which are found by each form of them. A stem ends with the code of its language between
 * two digits (`haus0de0`): so the stemmer for English that both databases have leaves it as it is, and it is found in texts of its language only. What
 * has digits, such as a code or a number, stays as it is; all other signs stay between the words.
 */
export async function stemsIn(language: StemmedLanguage): Promise<(text: string) => string> {
  if (language === 'en') return (text) => text
  const { stemmer } = await stemmers[language]()
  const known = new Map<string, string>()
  const stem = (word: string): string => {
    if (digit.test(word) || word.length > longest) return word
    const found = known.get(word) ?? `${normalize(stemmer(prepare(language, word)))}0${language}0`
    known.set(word, found)
    return found
  }
  return (text) => text.replace(token, stem)
}
