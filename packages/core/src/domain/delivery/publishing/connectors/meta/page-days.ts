import { z } from 'zod'
import { addDays } from '../../../../../kernel/periods.ts'
import type { PlatformCall } from '../../../../accounts/channels/platform-call.ts'
import { PlatformError } from '../../../../accounts/channels/platform-error.ts'
import type { AccountFigureName, DayOfAccount } from '../../account-days/figures.ts'
import type { AskedDays } from '../../website/source.ts'
import { requestAs } from '../requests.ts'
import { graphUrl } from './graph.ts'

const Days = z.object({
  data: z.array(z.object({ values: z.array(z.object({ value: z.number(), end_time: z.string() })) })),
})

/** What the Graph API counts of a page by the day. */
const pageInsights: ReadonlyArray<readonly [AccountFigureName, string]> = [
  ['views', 'page_media_view'],
  ['reach', 'page_total_media_view_unique'],
  ['engagements', 'page_post_engagements'],
  ['newFollowers', 'page_daily_follows_unique'],
  ['followers', 'page_follows'],
]

/**
 * Reads the figures of a page by the day. One request for each: a name that the version does not know fails the whole request. Days end at
 * midnight in California, and are named by their ends.
 * @throws PlatformError for all that is no refusal of the one figure
 */
export async function readPageDays(
  call: PlatformCall,
  page: string,
  headers: { authorization: string },
  { from, to }: AskedDays,
): Promise<DayOfAccount[]> {
  const days = new Map<string, DayOfAccount['figures']>()
  for (const [name, metric] of pageInsights) {
    const query = { metric, period: 'day', since: from, until: addDays(to, 2) }
    const url = graphUrl(call, `${page}/insights`, query)
    try {
      const { data } = await requestAs(call, { url, headers, effect: 'read' }, Days)
      for (const { value, end_time: end } of data[0]?.values ?? []) {
        const day = addDays(end.slice(0, 10), -1)
        days.set(day, { ...days.get(day), [name]: Math.max(0, value) })
      }
    } catch (error) {
      if (!(error instanceof PlatformError) || error.kind !== 'validation') throw error
    }
  }
  return [...days].map(([day, figures]) => ({ day, figures }))
}
