import { formatMicros } from '../amounts.ts'
import type { Item } from '../invoices/totals.ts'
import { rateSpans, type Usage } from './rating.ts'
import type { UsageSpan } from './spans.ts'

/** What runs cost beyond the plan, as lines; none for the time of a plan that includes everything. */
export function usageItems(spans: ReadonlyArray<UsageSpan & { usage: readonly Usage[] }>): Item[] {
  return rateSpans(spans).flatMap(({ usage, includedMicros: included, from, until }) =>
    included === null
      ? []
      : usage.map(({ kind, isLate, runs, micros, includedMicros, amount }) => ({
          kind: isLate ? 'late_usage' : 'usage',
          description: `Usage of ${kind.replaceAll('_', ' ')}: ${runs} ${runs === 1 ? 'run' : 'runs'}, ${formatMicros(micros)}, of which ${formatMicros(includedMicros)} included${isLate ? ' (late, from an earlier period)' : ''}`,
          amount,
          runs,
          usageMicros: micros,
          includedMicros,
          ...(!isLate && { periodStart: from, periodEnd: until }),
        })),
  )
}
