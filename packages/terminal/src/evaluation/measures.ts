/** How well a list of documents answers a query, each from 0 to 1. */
export interface Measures {
  /** The part of the relevant documents that was found. */
  recall: number
  /** The gains of what was found, each divided by the logarithm of its place, as a part of the best that is possible. */
  ndcg: number
}

/**
 * As BEIR measures: the gain of a document is its judgement.
 * @param found ids, the best first; those after the first `top` do not count
 */
export function measure(
  found: readonly string[],
  relevant: ReadonlyMap<string, number>,
  top: number,
): Measures {
  const counted = [...new Set(found)].slice(0, top)
  const gains = counted.map((id) => relevant.get(id) ?? 0)
  const ideal = [...relevant.values()].toSorted((a, b) => b - a).slice(0, top)
  return {
    recall: gains.filter((gain) => gain > 0).length / relevant.size,
    ndcg: discounted(gains) / discounted(ideal),
  }
}

const discounted = (gains: readonly number[]) =>
  gains.reduce((sum, gain, index) => sum + gain / Math.log2(index + 2), 0)

export const mean = (numbers: readonly number[]) =>
  numbers.reduce((sum, number) => sum + number, 0) / Math.max(1, numbers.length)

/** @param part from 0 to 1: 0.95 for the value that 95 % do not exceed */
export function percentile(numbers: readonly number[], part: number): number {
  const sorted = numbers.toSorted((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil(sorted.length * part) - 1)] ?? 0
}
