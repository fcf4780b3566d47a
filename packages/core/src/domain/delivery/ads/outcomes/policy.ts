import type { ChangeOutcome, ChangeSource, OutcomeSums } from '../changes/entities.ts'
import { money } from '../changes/policy.ts'

/** How many days before and after a change are held against each other, one after the other. */
export const outcomeDays = [7, 14] as const
/** How many days figures that do not come are waited for. */
export const patienceDays = 14
export const dayMs = 86_400_000

/** Whose outcome is told: what people have planned or followed, and not each small push or its way back. */
export const hasOutcome = (source: ChangeSource) => source === 'plan' || source === 'recommendation'

/**
 * When an outcome is due: once its last day is over in every zone, and its figures were fetched.
 * @param told how many outcomes there are already
 * @returns null when there is no further one
 */
export function outcomeTime(appliedOn: Date, told: number): Date | null {
  const days = outcomeDays[told]
  return days === undefined ? null : new Date(appliedOn.getTime() + (days + 1) * dayMs)
}

/** An outcome for people. It says what followed, not what caused it. */
export function wordOutcome({ days, before, after, otherSets }: ChangeOutcome, currency: string): string {
  const cost = ({ costMicros, conversionMicros }: OutcomeSums) =>
    conversionMicros > 0 ? money(Math.round((costMicros / conversionMicros) * 1e4) * 100, currency) : 'none'
  const figures = [
    `spend ${money(before.costMicros, currency)} → ${money(after.costMicros, currency)}`,
    `clicks ${before.clicks} → ${after.clicks}`,
    `conversions ${shown(before.conversionMicros)} → ${shown(after.conversionMicros)}`,
    `cost of a conversion ${cost(before)} → ${cost(after)}`,
  ]
  const others =
    otherSets === 0
      ? ''
      : ` ${otherSets === 1 ? 'Another change' : `${otherSets} other changes`} to the campaign fell into these days.`
  return `The ${days} days before and after the day of the change: ${figures.join(', ')}.${others} This is what followed, not what caused it.`
}

const shown = (millionths: number) => String(Math.round(millionths / 1e4) / 100)
