/** A word or phrase that is looked for. */
export interface WordTerm {
  /** As it stands in texts of each language: letters and digits, and within them signs and spaces. One of them is enough. */
  forms: readonly string[]
  /** In one of the languages it says nothing, so that a text without it lacks nothing where no text has it. */
  isFiller: boolean
}

/** Which chunks are looked for by words. */
export interface WordQuery {
  datasetIds: readonly string[]
  terms: readonly WordTerm[]
  /** How many chunks are wanted. */
  most: number
}

/** A chunk by its number, with how well it fits: 0 to 1. */
export interface Ranked {
  seq: number
  score: number
}

/** The k1 of BM25: how soon a word that stands in a text once more says nothing more. */
const saturation = 1.2

/**
 * What BM25 gives a text that has nothing but all terms.
 * @param rarities of each term, its idf; a term that no text has is as rare as the rarest of the others
 */
export function bestPossible(rarities: ReadonlyArray<number | undefined>): number {
  const present = rarities.filter((idf) => idf !== undefined)
  const rarest = Math.max(...present)
  return (saturation + 1) * rarities.reduce<number>((sum, idf) => sum + (idf ?? rarest), 0)
}
