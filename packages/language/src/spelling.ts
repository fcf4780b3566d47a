/** How the program around compares texts: what a request names is found as everything else that is searched for. */
export interface TextComparison {
  /** A text without what a reader who searches does not mind: case, accents, and other forms of the same letter. */
  normalize(text: string): string
  /**
   * How many letters have to be changed, added, left out or swapped with their neighbour until `word` is the first 0, 1, 2 …
   * letters of `other`.
   */
  distancesTo(word: string, other: string): number[]
}

/** What is one word in spite of how it is written. */
export interface Spelling extends Pick<TextComparison, 'normalize'> {
  /** The words of a name as a person would type them. */
  wordsOf(text: string): string[]
  /** True for the same word, and for one with a letter wrong from four letters on, or two from eight on. */
  isNearly(word: string, other: string): boolean
  /** How many letters have to be changed, added, left out or swapped with their neighbour. */
  distance(a: string, b: string): number
}

/** Compares words by what the program compares texts by. */
export function createSpelling({ normalize, distancesTo }: TextComparison): Spelling {
  const distance = (a: string, b: string) => distancesTo(a, b)[b.length] ?? 0
  return {
    normalize,
    wordsOf: (text) =>
      normalize(text)
        .replace(/[’']s\b/g, '')
        .split(/[^\p{L}\p{N}']+/u)
        .filter((word) => word !== '' && word !== 'and'),
    isNearly(word, other) {
      if (word === other) return true
      const shorter = Math.min(word.length, other.length)
      const allowed = shorter < 4 ? 0 : shorter < 8 ? 1 : 2
      return Math.abs(word.length - other.length) <= allowed && distance(word, other) <= allowed
    },
    distance,
  }
}
