import { partOf } from '../amounts.ts'
import type { UsageTerms } from '../entities.ts'
import type { UsageSpan } from './spans.ts'

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
  { includedMicros, overageAmount }: UsageTerms,
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

export interface RatedSpan extends UsageSpan {
  usage: RatedUsage[]
}

/**
 * Prices a period in which the plan has changed. Each plan includes its share of the time that it held for; as long as it holds, it
 * includes what it would if it held to the end. What was included once is not taken back, and not given again by a further change.
 * @param spans at least one, in order
 */
export function rateSpans(spans: ReadonlyArray<UsageSpan & { usage: readonly Usage[] }>): RatedSpan[] {
  const whole = Math.max(1, lengthOf(spans))
  let [earned, used, rest] = [0, 0, whole]
  return spans.map(({ usage, ...span }) => {
    const { includedMicros, overageAmount } = span
    const left =
      includedMicros === null ? null : Math.max(0, earned + partOf(includedMicros, rest, whole) - used)
    const rated = rateUsage(usage, { includedMicros: left, overageAmount })
    if (left !== null) used += rated.reduce((sum, one) => sum + one.includedMicros, 0)
    earned += partOf(includedMicros ?? 0, lengthOf([span]), whole)
    rest -= lengthOf([span])
    return { ...span, usage: rated }
  })
}

/** What the plans of a period include together; null when the last of them includes everything. */
export function includedIn(spans: readonly UsageSpan[]): number | null {
  if (spans.at(-1)?.includedMicros === null) return null
  const [only] = spans
  if (only && spans.length === 1) return only.includedMicros
  const whole = Math.max(1, lengthOf(spans))
  return spans.reduce((sum, span) => sum + partOf(span.includedMicros ?? 0, lengthOf([span]), whole), 0)
}

/** Milliseconds. */
const lengthOf = (spans: readonly UsageSpan[]) =>
  (spans.at(-1)?.until.getTime() ?? 0) - (spans[0]?.from.getTime() ?? 0)
