import { formatMicros } from '../amounts.ts'
import type { SubscriptionRow } from '../entities.ts'
import type { Item } from '../invoices/totals.ts'
import { rateUsage, type Usage } from './rating.ts'

/** What runs cost beyond the plan, as lines; none for a plan that includes everything. */
export function usageItems(
  usage: readonly Usage[],
  subscription: Pick<SubscriptionRow, 'includedMicros' | 'overageAmount'>,
  period: { start: Date; end: Date },
): Item[] {
  if (subscription.includedMicros === null) return []
  return rateUsage(usage, subscription).map(({ kind, isLate, runs, micros, includedMicros, amount }) => ({
    kind: isLate ? 'late_usage' : 'usage',
    description: `Usage of ${kind.replaceAll('_', ' ')}: ${runs} ${runs === 1 ? 'run' : 'runs'}, ${formatMicros(micros)}, of which ${formatMicros(includedMicros)} included${isLate ? ' (late, from an earlier period)' : ''}`,
    amount,
    runs,
    usageMicros: micros,
    includedMicros,
    ...(!isLate && { periodStart: period.start, periodEnd: period.end }),
  }))
}
