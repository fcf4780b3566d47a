import { diffLines, diffWordsWithSpace } from 'diff'

/** A pair of texts that are compared. */
export type TextPair = readonly [before: string, after: string]

/** What stands for a comparison by words where that would take too long: by lines, or one text in the place of the other. */
export const coarseGranularities = ['line', 'whole'] as const
export type CoarseGranularity = (typeof coarseGranularities)[number]

type Change = 'same' | 'added' | 'removed'

export interface TextPart {
  change: Change
  text: string
}

export interface Comparison {
  /** Absent where words were compared. */
  granularity?: CoarseGranularity
  /** In order; those that are not `removed` make up the second text, those that are not `added` the first. */
  parts: TextPart[]
}

/** A comparison without the texts: how many characters of which each part takes. Small, whatever was compared. */
export interface Outline {
  granularity?: CoarseGranularity
  parts: Array<[change: Change, length: number]>
}

/** Above this many characters together, texts are compared by lines. */
const wordLimit = 200_000
/** Words or lines that may differ before a coarser comparison has to do; the work grows with its square. */
const maxEditLength = 2_000
/** How long one call looks for the words that differ, milliseconds; what is left then is compared by lines. */
const wordsMs = 1_500
/** How long it looks at least for the lines of one pair, milliseconds. */
const linesMs = 250

/**
 * Compares pairs of texts: by words, by lines where texts are very long or very different, and as wholes where even that takes
 * too long. Work for a thread.
 */
export function outlinesOf(pairs: readonly TextPair[]): Outline[] {
  const until = performance.now() + wordsMs
  return pairs.map(([before, after]) => outlineOf(before, after, until))
}

function outlineOf(before: string, after: string, until: number): Outline {
  const left = () => Math.max(0, until - performance.now())
  const short = before.length + after.length <= wordLimit
  const words = short ? diffWordsWithSpace(before, after, { maxEditLength, timeout: left() }) : undefined
  const changes = words ?? diffLines(before, after, { maxEditLength, timeout: Math.max(linesMs, left()) })
  if (!changes) return wholes(before, after)
  return {
    ...(!words && { granularity: 'line' as const }),
    parts: changes.map(({ value, added, removed }) => [
      added ? 'added' : removed ? 'removed' : 'same',
      value.length,
    ]),
  }
}

/** The outline of a comparison that was not made. */
export function wholes(before: string, after: string): Outline {
  return {
    granularity: 'whole',
    parts: [
      ['removed', before.length],
      ['added', after.length],
    ],
  }
}

/** The comparison that an outline of two texts stands for. */
export function filledIn({ parts, ...outline }: Outline, [before, after]: TextPair): Comparison {
  let [read, written] = [0, 0]
  return {
    ...outline,
    parts: parts.map(([change, length]) => {
      const text =
        change === 'removed' ? before.slice(read, read + length) : after.slice(written, written + length)
      if (change !== 'added') read += length
      if (change !== 'removed') written += length
      return { change, text }
    }),
  }
}
