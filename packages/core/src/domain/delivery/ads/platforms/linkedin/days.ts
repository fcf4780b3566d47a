import { z } from 'zod'
import { isoDay } from '../../../../../platform/wire.ts'
import type { PlatformCall } from '../../../../accounts/channels/platform-call.ts'
import type { DayFigures } from '../../../../work/campaigns/metrics/record-queries.ts'
import { readRest } from '../../../publishing/connectors/linkedin/rest.ts'
import type { CampaignAddress } from '../../platform.ts'
import { decimalMicros } from '../values.ts'
import { numberIn } from './wire.ts'

const count = z.int().min(0).max(1_000_000_000).default(0)
const two = (n: number) => String(n).padStart(2, '0')
const day = z
  .object({ year: z.int(), month: z.int(), day: z.int() })
  .transform(({ year, month, day: date }) => `${year}-${two(month)}-${two(date)}`)
  .pipe(isoDay)
const Day = z.object({
  dateRange: z.object({ start: day }),
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
  return elements.map(({ dateRange, ...figures }) => ({
    date: dateRange.start,
    impressions: figures.impressions,
    clicks: figures.clicks,
    costMicros: figures.costInLocalCurrency,
    conversionMicros: (figures.externalWebsiteConversions + figures.oneClickLeads) * 1_000_000,
  }))
}

function dateOf(day: string): string {
  const [year, month, date] = day.split('-').map(Number)
  return `(year:${year},month:${month},day:${date})`
}
