/**
 * Percentages of a total, to two decimals, that add up to exactly 100: what rounding down leaves over goes to the parts that
 * it took most from.
 * @param parts whole numbers, 0 or more
 * @returns all 0 when the total is 0
 */
export function sharesOf(parts: readonly number[]): number[] {
  const total = parts.reduce((sum, part) => sum + BigInt(part), 0n)
  if (total === 0n) return parts.map(() => 0)
  const hundredths = parts.map((part, at) => {
    const scaled = BigInt(part) * 10_000n
    return { at, whole: Number(scaled / total), rest: scaled % total }
  })
  const left = 10_000 - hundredths.reduce((sum, { whole }) => sum + whole, 0)
  const neediest = hundredths.toSorted((a, b) => (a.rest === b.rest ? a.at - b.at : a.rest > b.rest ? -1 : 1))
  for (const share of neediest.slice(0, left)) share.whole += 1
  return hundredths.map(({ whole }) => whole / 100)
}
