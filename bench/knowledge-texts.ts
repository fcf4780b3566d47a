/** Numbers from 0 to 1 that are the same in each run. */
export function numbersFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

const syllables = 'ba ke ri lo mun ter ash pol vin dra so el gi nor cu fet'.split(' ')

/** A word by its rank: the same rank is the same word, of two to four syllables. */
export function wordOf(rank: number): string {
  let word = ''
  for (let rest = rank + syllables.length; rest > 0; rest = Math.floor(rest / syllables.length))
    word += syllables[rest % syllables.length]
  return word
}

const vocabulary = Array.from({ length: 30_000 }, (_, rank) => wordOf(rank))

/** A word of which the rank has the distribution of words in a language (Zipf). */
const anyWord = (next: () => number) =>
  vocabulary[Math.min(vocabulary.length - 1, Math.floor(vocabulary.length ** next()) - 1)] as string

/** A text of so many words, in sentences of twelve. */
export function textOf(next: () => number, words: number): string {
  let text = ''
  for (let n = 1; n <= words; n += 1) text += anyWord(next) + (n % 12 === 0 ? '. ' : ' ')
  return text.trim()
}

/** A question of three words that say something: neither the most frequent ones nor the rarest. */
export function queryOf(next: () => number): string {
  const word = () => vocabulary[50 + Math.floor(3_000 * next() ** 2)] as string
  return `${word()} ${word()} ${word()}`
}
