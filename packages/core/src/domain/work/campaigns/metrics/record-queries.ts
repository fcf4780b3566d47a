import type { Transaction } from '../../../../kernel/context.ts'
import { upsertRows } from '../../../../kernel/upsert-queries.ts'

/** The figures of one day, as a platform counts them. */
export interface DayFigures {
  date: string
  impressions: number
  clicks: number
  costMicros: number
  conversionMicros: number
}

const metrics = {
  table: 'campaign_metrics',
  key: ['campaign_id', 'channel', 'date'],
  fixed: ['id', 'tenant_id'],
  values: ['currency', 'impressions', 'clicks', 'cost_micros', 'conversion_micros'],
  stamp: ['updated_on'],
}

/**
 * Writes what a platform says about days of a campaign. A day that is known is put right, never added to, and one that is as it was
 * is not written.
 * @returns how many days were new or different
 */
export function recordDays(
  txn: Transaction,
  of: { tenantId: string; campaignId: string; channel: string; currency: string },
  days: readonly DayFigures[],
): Promise<number> {
  const now = txn.clock.date()
  const rows = days.map((day) => ({
    id: txn.newId(),
    tenant_id: of.tenantId,
    campaign_id: of.campaignId,
    channel: of.channel,
    currency: of.currency,
    date: day.date,
    impressions: day.impressions,
    clicks: day.clicks,
    cost_micros: day.costMicros,
    conversion_micros: day.conversionMicros,
    updated_on: now,
  }))
  return upsertRows(txn.tx, metrics, rows)
}
