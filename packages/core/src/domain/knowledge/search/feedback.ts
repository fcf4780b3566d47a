import { stopWords } from './stop-words.ts'
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

/** How often each telling word stands in a text, and how many words there are in all. */
interface Bag {
  counts: Map<string, number>
  length: number
}

/**
 * Ranks what was found by words once more: by the words that the best of it have in common and the rest lacks (relevance feedback). So a text is found first
 * that says with other words what the query asks for. Words are weighed by how rare they are among what was found: nothing else is read.
 * @param ranked the best first, with scores from 0 to 1
 * @param textOf undefined for one that is not searched any more
 * @returns the scores by number, from 0 to 1; those of `ranked` where there is too little to compare
 */
export function withFeedback(
  ranked: readonly Ranked[],
  textOf: (seq: number) => string | undefined,
): Map<number, number> {
  const scores = new Map(ranked.map(({ seq, score }) => [seq, score]))
  const found = ranked.flatMap(({ seq, score }) => {
    const text = textOf(seq)
    return text === undefined ? [] : [{ seq, score, bag: bagOf(text) }]
  })
  if (found.length <= givers) return scores
  const spread = new Map<string, number>()
  for (const { bag } of found)
    for (const word of bag.counts.keys()) spread.set(word, (spread.get(word) ?? 0) + 1)
  const rarity = (word: string) => {
    const texts = spread.get(word) ?? 0
    return Math.log(1 + (found.length - texts + 0.5) / (texts + 0.5))
  }
  const weights = wordsOf(found.slice(0, givers), rarity, spread)
  const best = (saturation + 1) * weights.reduce((sum, [, weight]) => sum + weight, 0)
  if (best === 0) return scores
  const average = found.reduce((sum, { bag }) => sum + bag.length, 0) / found.length
  for (const { seq, score, bag } of found) {
    const slowness = saturation * (1 - lengthPart + (lengthPart * bag.length) / average)
    const fit = weights.reduce((sum, [word, weight]) => {
      const count = bag.counts.get(word) ?? 0
      return sum + (weight * count * (saturation + 1)) / (count + slowness)
    }, 0)
    scores.set(seq, (1 - share) * score + share * (fit / best))
  }
  return scores
}

/** The words that tell the best from the rest, with their weights. Those of one text only find nothing else. */
function wordsOf(
  best: ReadonlyArray<{ score: number; bag: Bag }>,
  rarity: (word: string) => number,
  spread: ReadonlyMap<string, number>,
): Array<[word: string, weight: number]> {
  const total = best.reduce((sum, { score }) => sum + score, 0)
  const weights = new Map<string, number>()
  for (const { score, bag } of best)
    for (const [word, count] of bag.counts) {
      if ((spread.get(word) ?? 0) < 2) continue
      const weight = (score / total) * Math.log(1 + count) * rarity(word)
      weights.set(word, (weights.get(word) ?? 0) + weight)
    }
  return [...weights]
    .toSorted(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))
    .slice(0, mostWords)
    .map(([word, weight]) => [word, weight * rarity(word)])
}

const word = /\p{L}[\p{L}\p{N}\p{M}]{2,}/gu

function bagOf(text: string): Bag {
  const counts = new Map<string, number>()
  const words = text.slice(0, mostCharacters).toLowerCase().match(word) ?? []
  for (const each of words) if (!stopWords.has(each)) counts.set(each, (counts.get(each) ?? 0) + 1)
  return { counts, length: words.length }
}
