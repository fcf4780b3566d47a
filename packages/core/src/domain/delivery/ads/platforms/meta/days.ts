import { z } from 'zod'
import { isoDay } from '../../../../../platform/wire.ts'
import type { PlatformCall } from '../../../../accounts/channels/platform-call.ts'
import type { DayFigures } from '../../../../work/campaigns/metrics/record-queries.ts'
import { readAllPages } from '../../../publishing/connectors/meta/graph.ts'
import type { CampaignAddress } from '../../platform.ts'
import { decimalMicros } from '../values.ts'
import { metaId } from './campaigns.ts'
import { wholeNumber } from './money.ts'

const Action = z.object({ action_type: z.string(), value: decimalMicros })
const Day = z.object({
  date_start: isoDay,
  spend: decimalMicros.default(0),
  impressions: wholeNumber.default(0),
  inline_link_clicks: wholeNumber.default(0),
  actions: z.array(Action).default([]),
})
const fields = 'date_start,spend,impressions,inline_link_clicks,actions'

/**
 * What counts as a conversion, each by its first name that there is: Meta has many names for one act, and a sum over all of them would
 * count a purchase five times.
 */
const conversions: ReadonlyArray<readonly string[]> = [
  ['omni_purchase', 'purchase'],
  ['lead'],
  ['omni_complete_registration', 'complete_registration'],
  ['contact_total'],
  ['schedule_total'],
  ['submit_application_total'],
  ['subscribe_total'],
  ['start_trial_total'],
]

/** Clicks are those on the link of an ad; likes and unfolded texts are none. */
export async function metaDays(
  call: PlatformCall,
  { campaignId }: CampaignAddress,
  { from, to }: { from: string; to: string },
): Promise<DayFigures[]> {
  const query = { fields, time_increment: '1', time_range: JSON.stringify({ since: from, until: to }) }
  const days = await readAllPages(call, `${metaId(campaignId)}/insights`, query, Day)
  return days.map((day) => ({
    date: day.date_start,
    impressions: day.impressions,
    clicks: day.inline_link_clicks,
    costMicros: day.spend,
    conversionMicros: conversionsOf(day.actions),
  }))
}

/** In millionths. */
function conversionsOf(actions: ReadonlyArray<z.output<typeof Action>>): number {
  const values = new Map(actions.map(({ action_type, value }) => [action_type, value]))
  return conversions.reduce((sum, names) => {
    const name = names.find((one) => values.has(one))
    return sum + (name === undefined ? 0 : (values.get(name) ?? 0))
  }, 0)
}
