import { partOf } from '../amounts.ts'

/** What runs of one kind cost. */
export interface Usage {
  /** Agent role. */
  kind: string
  isLate: boolean
  runs: number
  micros: number
}

export interface RatedUsage extends Usage {
  /** The part that the plan includes. */
  includedMicros: number
  /** Before tax. */
  amount: number
}

const microsPerUsd = 1_000_000

/**
 * Prices what runs cost beyond what a plan includes. Amounts are rounded on the running total, so that they add up to the price
 * of the whole.
 * @param overageAmount for each US dollar, in the smallest unit of the currency
 */
export function rateUsage(
  usage: readonly Usage[],
  { includedMicros, overageAmount }: { includedMicros: number | null; overageAmount: number },
): RatedUsage[] {
  let left = includedMicros ?? Number.POSITIVE_INFINITY
  let billed = 0
  return usage.map((used) => {
    const included = Math.min(left, used.micros)
    left -= included
    const before = partOf(overageAmount, billed, microsPerUsd)
    billed += used.micros - included
    return {
      ...used,
      includedMicros: included,
      amount: partOf(overageAmount, billed, microsPerUsd) - before,
    }
  })
}
