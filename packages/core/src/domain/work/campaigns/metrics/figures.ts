import { toUsd } from '../../../../kernel/money.ts'
import type { AdFigures } from './schemas.ts'

/** Sums as they are stored. */
export interface Sums {
  currency: string
  impressions: number
  clicks: number
  costMicros: number
  conversionMicros: number
}

export const addSums = (to: Sums, more: Sums): void => {
  to.impressions += more.impressions
  to.clicks += more.clicks
  to.costMicros += more.costMicros
  to.conversionMicros += more.conversionMicros
}

/** Sums as they are shown. Ratios are of the sums: an average of averages would be another number. */
export function toFigures({ currency, impressions, clicks, costMicros, conversionMicros }: Sums): AdFigures {
  const per = (of: number) => (of > 0 ? Math.round(costMicros / of) : undefined)
  const cpc = per(clicks)
  const cost = per(conversionMicros / 1_000_000)
  return {
    currency,
    spend: toUsd(costMicros),
    impressions,
    clicks,
    conversions: toUsd(conversionMicros),
    ctr: impressions > 0 ? Math.round((clicks / impressions) * 1e6) / 1e6 : null,
    averageCpc: cpc === undefined ? null : toUsd(cpc),
    costPerConversion: cost === undefined ? null : toUsd(cost),
  }
}
