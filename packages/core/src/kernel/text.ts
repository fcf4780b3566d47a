/**
 * What a person types into a search field, as a test of rows: each word must be found in one of the texts, in any case and
 * with or without accents.
 * @param typos also finds words that are mistyped: one letter wrong from four letters on, two from eight on
 */
export function textMatcher(
  search: string,
  { typos = false }: { typos?: boolean } = {},
): (texts: ReadonlyArray<string | null>) => boolean {
  const whole = normalize(search).trim()
  const words = wordsOf(whole)
  return (texts) => {
    const folded = texts.filter((text) => text !== null).map(normalize)
    if (folded.some((text) => text.includes(whole))) return true
    if (words.length === 0) return false
    const known = typos ? folded.flatMap(wordsOf) : []
    return words.every(
      (word) =>
        folded.some((text) => text.includes(word)) || known.some((other) => fuzzyMatches(word, other)),
    )
  }
}

/** A text without what a reader who searches does not mind: case, accents, and other forms of the same letter. */
export function normalize(text: string): string {
  // Accents go first: decomposing puts those of one letter in order, which takes the square of their number.
  return text
    .replace(/\p{M}+/gu, '')
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
}

function wordsOf(text: string): string[] {
  return text.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '')
}

function fuzzyMatches(word: string, other: string): boolean {
  const allowed = word.length < 4 ? 0 : word.length < 8 ? 1 : 2
  if (allowed === 0 || other.length < word.length - allowed) return false
  // More of the other word than this cannot bring the two closer.
  return Math.min(...distancesTo(word, other.slice(0, word.length + allowed))) <= allowed
}

/**
 * How many letters have to be changed, added, left out or swapped with their neighbour until `word` is the first 0, 1, 2 …
 * letters of `other`.
 */
export function distancesTo(word: string, other: string): number[] {
  // Not `fastest-levenshtein`: to it two letters that are swapped are two wrong ones, and it tells of whole words only.
  let above: number[] = []
  let row = Array.from({ length: other.length + 1 }, (_, column) => column)
  for (let i = 1; i <= word.length; i += 1) {
    const next = [i]
    for (let j = 1; j <= other.length; j += 1) {
      const cost = word[i - 1] === other[j - 1] ? 0 : 1
      let best = Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + cost)
      const swapped = i > 1 && j > 1 && word[i - 1] === other[j - 2] && word[i - 2] === other[j - 1]
      if (swapped) best = Math.min(best, (above[j - 2] ?? 0) + 1)
      next.push(best)
    }
    above = row
    row = next
  }
  return row
}

/** The first `length` characters of a text, never half a surrogate pair. */
export function preview(text: string, length: number): string {
  const cut = text.slice(0, length)
  const last = cut.charCodeAt(cut.length - 1)
  return last >= 0xd800 && last <= 0xdbff ? cut.slice(0, -1) : cut
}
