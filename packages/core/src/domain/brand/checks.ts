import { fold } from '../text-match.ts'
import type { Brand } from './entities.ts'
import type { ContentCheck } from './schemas.ts'

/**
 * What a text says that the brand must not say, and what it claims without proof, in the order of the profile. Case, accents,
 * kinds of quotes and dashes, emphasis and what stands between two words make no difference; a phrase inside a longer word
 * is none. Decides nothing.
 */
export function checkContent(text: string, brand: Pick<Brand, 'bannedPhrases' | 'claims'>): ContentCheck[] {
  const plain = plainly(text)
  const found = (kind: ContentCheck['kind'], phrases: readonly string[]): ContentCheck[] =>
    phrases.flatMap((phrase) => {
      const count = occurrences(plain, plainly(phrase))
      return count === 0 ? [] : [{ kind, phrase, count }]
    })
  const unproven = brand.claims.filter(({ proof }) => proof === null).map(({ phrase }) => phrase)
  return [...found('banned_phrase', brand.bannedPhrases), ...found('unproven_claim', unproven)]
}

/** A text without what is not read aloud: signs of emphasis, characters of no width, and the shape of quotes and dashes. */
function plainly(text: string): string {
  return fold(text)
    .replace(/[*`\u00ad\u200b-\u200d\u2060\ufeff]/g, '')
    .replace(/[\u2018\u2019\u02bc]/g, "'")
    .replace(/[\u201c\u201d\u00ab\u00bb]/g, '"')
    .replace(/[\u2010-\u2015\u2212]/g, '-')
    .replace(/\s+/g, ' ')
    .trim()
}

const wordEnd = /[\p{L}\p{N}]$/u
const wordStart = /^[\p{L}\p{N}]/u

/** How often a phrase stands in a text, each place counted once. */
function occurrences(text: string, phrase: string): number {
  if (phrase === '') return 0
  const [bound, open] = [wordStart.test(phrase), wordEnd.test(phrase)]
  let count = 0
  for (let at = text.indexOf(phrase); at >= 0; ) {
    const end = at + phrase.length
    const inside =
      (bound && wordEnd.test(text.slice(Math.max(0, at - 2), at))) ||
      (open && wordStart.test(text.slice(end, end + 2)))
    if (!inside) count += 1
    at = text.indexOf(phrase, inside ? at + 1 : end)
  }
  return count
}
