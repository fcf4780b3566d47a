import { createPhraseSearch } from '../../../kernel/phrase-search.ts'
import { normalize } from '../../../kernel/text.ts'
import type { Brand } from './entities.ts'
import type { ContentCheck } from './schemas.ts'

/** How many findings a text has at most, and up to how many times each is counted. */
const maxChecks = 100
const maxCount = 1_000

/** The part of a brand that texts are held against. */
export type CheckedBrand = Pick<Brand, 'bannedPhrases' | 'claims'>

/**
 * What a text says that the brand must not say, and what it claims without proof, in the order of the profile. Case, accents,
 * kinds of quotes and dashes, emphasis and what stands between two words make no difference; a phrase inside a longer word
 * is none, and a phrase that is listed twice is reported once. Decides nothing. Reads the text once, whatever the phrases are;
 * for long texts that is work for a thread.
 */
export function checkContent(text: string, { bannedPhrases, claims }: CheckedBrand): ContentCheck[] {
  const unproven = claims.filter(({ proof }) => proof === null).map(({ phrase }) => phrase)
  const phrases = [...once('banned_phrase', bannedPhrases), ...once('unproven_claim', unproven)]
  const plain = [...new Set(phrases.map((one) => one.plain))]
  const counts = createPhraseSearch(plain, maxCount)(plainly(text))
  const countOf = new Map(plain.map((one, index) => [one, counts[index] ?? 0]))
  return phrases
    .map(({ kind, phrase, plain: form }) => ({ kind, phrase, count: countOf.get(form) ?? 0 }))
    .filter(({ count }) => count > 0)
    .slice(0, maxChecks)
}

interface Phrase {
  kind: ContentCheck['kind']
  /** As the brand's profile has it. */
  phrase: string
  plain: string
}

/** Phrases without those that differ from an earlier one in nothing that makes a difference. */
function once(kind: ContentCheck['kind'], phrases: readonly string[]): Phrase[] {
  const found = new Map<string, Phrase>()
  for (const phrase of phrases) {
    const plain = plainly(phrase)
    if (!found.has(plain)) found.set(plain, { kind, phrase, plain })
  }
  return [...found.values()]
}

/** A text without what is not read aloud: signs of emphasis, characters of no width, and the shape of quotes and dashes. */
function plainly(text: string): string {
  return normalize(text)
    .replace(/[*`\u00ad\u200b-\u200d\u2060\ufeff]/g, '')
    .replace(/[\u2018\u2019\u02bc]/g, "'")
    .replace(/[\u201c\u201d\u00ab\u00bb]/g, '"')
    .replace(/[\u2010-\u2015\u2212]/g, '-')
    .replace(/\s+/g, ' ')
    .trim()
}

declare module '../../../kernel/in-thread.ts' {
  interface TextTasks {
    checks(input: { text: string; brand: CheckedBrand }): ReturnType<typeof checkContent>
  }
}
