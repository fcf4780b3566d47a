import { functionWords, type StemmedLanguage } from '../stemming/function-words.ts'
import { type WordCounts, wordCounter, wordsIn } from './word-counts.ts'
import type { Ranked } from './words.ts'

/** How many of the best give words, how many words they give, and how much these count in the score. */
const givers = 3
const mostWords = 20
const share = 0.4

/** Characters of a text that are looked at: a chunk of the usual size. Longer ones say at their beginning what they are about. */
const mostCharacters = 2_048

/** As in `searchWords`. */
const saturation = 1.2
const lengthPart = 0.75

/**
 * Ranks what was found by words once more: by the words that the best of it have in common and the rest lacks (relevance feedback). So a text is found first
 * that says with other words what the query asks for. Words are weighed by how rare they are among what was found: nothing else is read.
 * @param ranked the best first, with scores from 0 to 1
 * @param textOf undefined for one that is not searched any more
 * @param languages those of the texts
 * @returns the scores by number, from 0 to 1; those of `ranked` where there is too little to compare
 */
export function withFeedback(
  ranked: readonly Ranked[],
  textOf: (seq: number) => string | undefined,
  languages: readonly StemmedLanguage[],
): Map<number, number> {
  const scores = new Map(ranked.map(({ seq, score }) => [seq, score]))
  const found = ranked.flatMap(({ seq, score }) => {
    const text = textOf(seq)?.slice(0, mostCharacters).toLowerCase()
    return text === undefined ? [] : [{ seq, score, text }]
  })
  if (found.length <= givers) return scores
  const words = tellingWords(found.slice(0, givers), languages)
  const count = wordCounter(words)
  const texts = found.map(({ seq, score, text }) => ({ seq, score, ...count(text) }))
  const spread = spreadOf(texts, words.length)
  // Those of one text only find nothing else.
  const rarities = Array.from(spread, (having) =>
    having < 2 ? 0 : Math.log(1 + (found.length - having + 0.5) / (having + 0.5)),
  )
  const weights = weigh(words, texts.slice(0, givers), rarities)
  const best = (saturation + 1) * weights.reduce((sum, [, weight]) => sum + weight, 0)
  if (best === 0) return scores
  const average = texts.reduce((sum, { length }) => sum + length, 0) / texts.length
  for (const { seq, score, counts, length } of texts) {
    const slowness = saturation * (1 - lengthPart + (lengthPart * length) / average)
    const fit = weights.reduce((sum, [n, weight]) => {
      const times = counts[n] as number
      return sum + (weight * times * (saturation + 1)) / (times + slowness)
    }, 0)
    scores.set(seq, (1 - share) * score + share * (fit / best))
  }
  return scores
}

/** The words of the best texts, each once. */
const tellingWords = (
  best: ReadonlyArray<{ text: string }>,
  languages: readonly StemmedLanguage[],
): string[] => {
  const isTelling = (word: string) => languages.every((language) => !functionWords[language].has(word))
  return [...new Set(best.flatMap(({ text }) => wordsIn(text).filter(isTelling)))]
}

/** In how many texts each word stands. */
function spreadOf(texts: readonly WordCounts[], words: number): Uint16Array {
  const spread = new Uint16Array(words)
  for (const { counts } of texts)
    for (let n = 0; n < words; n += 1) if (counts[n] !== 0) spread[n] = (spread[n] as number) + 1
  return spread
}

/** The words that tell the best from the rest, by their places, with their weights. */
function weigh(
  words: readonly string[],
  best: ReadonlyArray<{ score: number } & WordCounts>,
  rarities: readonly number[],
): Array<[n: number, weight: number]> {
  const total = best.reduce((sum, { score }) => sum + score, 0)
  return words
    .flatMap((word, n) => {
      const rarity = rarities[n] as number
      if (rarity === 0) return []
      const part = ({ score, counts }: (typeof best)[number]) =>
        (score / total) * Math.log(1 + (counts[n] as number)) * rarity
      return [{ n, word, rarity, weight: best.reduce((sum, one) => sum + part(one), 0) }]
    })
    .toSorted((a, b) => b.weight - a.weight || (a.word < b.word ? -1 : 1))
    .slice(0, mostWords)
    .map(({ n, rarity, weight }) => [n, weight * rarity])
}
