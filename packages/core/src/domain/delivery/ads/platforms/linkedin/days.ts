import { z } from 'zod'
import type { PlatformCall } from '../../../../accounts/channels/platform-call.ts'
import type { DayFigures } from '../../../../work/campaigns/metrics/record-queries.ts'
import { readRest } from '../../../publishing/connectors/linkedin/rest.ts'
import type { CampaignAddress } from '../../platform.ts'
import { decimalMicros } from '../decimal.ts'
import { numberIn } from './wire.ts'

const count = z.int().min(0).default(0)
const Day = z.object({
  dateRange: z.object({ start: z.object({ year: z.int(), month: z.int(), day: z.int() }) }),
  impressions: count,
  clicks: count,
  costInLocalCurrency: decimalMicros.default(0),
  externalWebsiteConversions: count,
  oneClickLeads: count,
})
/** What is not named here is left out of the answer. */
const fields = 'dateRange,impressions,clicks,costInLocalCurrency,externalWebsiteConversions,oneClickLeads'

/** Conversions are those on the website, and forms that were filled in at LinkedIn. */
export async function linkedinDays(
  call: PlatformCall,
  { campaignId }: CampaignAddress,
  { from, to }: { from: string; to: string },
): Promise<DayFigures[]> {
  const campaign = encodeURIComponent(`urn:li:sponsoredCampaign:${numberIn(campaignId)}`)
  const path = `/rest/adAnalytics?q=analytics&pivot=CAMPAIGN&timeGranularity=DAILY&dateRange=(start:${dateOf(from)},end:${dateOf(to)})&campaigns=List(${campaign})&fields=${fields}`
  const headers = { 'x-restli-method': 'FINDER' }
  const { elements } = await readRest(call, path, z.object({ elements: z.array(Day) }), headers)
  return elements.map(({ dateRange: { start }, ...day }) => ({
    date: `${start.year}-${String(start.month).padStart(2, '0')}-${String(start.day).padStart(2, '0')}`,
    impressions: day.impressions,
    clicks: day.clicks,
    costMicros: day.costInLocalCurrency,
    conversionMicros: (day.externalWebsiteConversions + day.oneClickLeads) * 1_000_000,
  }))
}

function dateOf(day: string): string {
  const [year, month, date] = day.split('-').map(Number)
  return `(year:${year},month:${month},day:${date})`
}
