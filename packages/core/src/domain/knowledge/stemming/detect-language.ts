import { functionWords, type StemmedLanguage, stemmedLanguages } from './function-words.ts'

/** Characters that are looked at: enough to tell the language, and no more for a long text than for a short one. */
const mostCharacters = 40_000
/** A single letter is a word in too many languages. */
const word = /\p{L}{2,}/gu
/** Fewer words of a language than this, or a smaller part of all words, may stand in a text of another one. */
const fewest = 3
const smallestShare = 0.08

/**
 * The language of a text, by the small words that stand in all texts of a language.
 * @param declared what the document says of itself, such as `de-DE`: it counts where the text has too few of these words, as a list of
 *   products has
 * @returns `en` where neither tells
 */
export function detectLanguage(texts: Iterable<string>, declared?: string | null): StemmedLanguage {
  const hits = new Map<StemmedLanguage, number>(stemmedLanguages.map((language) => [language, 0]))
  let left = mostCharacters
  let words = 0
  for (const text of texts) {
    if (left <= 0) break
    for (const found of text.slice(0, left).toLowerCase().normalize('NFC').match(word) ?? []) {
      words += 1
      for (const language of stemmedLanguages)
        if (functionWords[language].has(found)) hits.set(language, (hits.get(language) as number) + 1)
    }
    left -= text.length
  }
  let best: StemmedLanguage = 'en'
  for (const [language, count] of hits) if (count > (hits.get(best) as number)) best = language
  const most = hits.get(best) as number
  if (most >= fewest && most >= words * smallestShare) return best
  return declaredLanguage(declared) ?? 'en'
}

/** Both forms of Norwegian are stemmed alike. */
const others: Readonly<Record<string, StemmedLanguage>> = { nb: 'no', nn: 'no' }

function declaredLanguage(declared: string | null | undefined): StemmedLanguage | undefined {
  const code = declared?.trim().toLowerCase().split(/[-_]/, 1)[0] ?? ''
  return others[code] ?? stemmedLanguages.find((each) => each === code)
}
