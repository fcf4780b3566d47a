import { z } from 'zod'
import type { PlatformCall } from '../../../../accounts/channels/platform-call.ts'
import type { AccountFigureName, DayOfAccount } from '../../account-days/figures.ts'
import type { AskedDays } from '../../website/source.ts'
import { addressOf, requestAs } from '../requests.ts'

const Series = z.object({
  multiDailyMetricTimeSeries: z
    .array(
      z.object({
        dailyMetricTimeSeries: z
          .array(
            z.object({
              dailyMetric: z.string(),
              timeSeries: z.object({
                datedValues: z
                  .array(
                    z.object({
                      date: z.object({ year: z.int(), month: z.int(), day: z.int() }),
                      // A whole number of 64 bits, as text; left out where it is zero.
                      value: z.string().regex(/^\d+$/).default('0'),
                    }),
                  )
                  .default([]),
              }),
            }),
          )
          .default([]),
      }),
    )
    .default([]),
})

/** What Google counts of a place; people see it in search and on the map, on computers and telephones. */
const figureOf: Readonly<Record<string, AccountFigureName>> = {
  BUSINESS_IMPRESSIONS_DESKTOP_MAPS: 'views',
  BUSINESS_IMPRESSIONS_DESKTOP_SEARCH: 'views',
  BUSINESS_IMPRESSIONS_MOBILE_MAPS: 'views',
  BUSINESS_IMPRESSIONS_MOBILE_SEARCH: 'views',
  WEBSITE_CLICKS: 'websiteClicks',
  CALL_CLICKS: 'calls',
  BUSINESS_DIRECTION_REQUESTS: 'directions',
}

/** Reads the figures of a place by the day, in one request. @param place `accounts/1/locations/2` @throws PlatformError */
export async function readPlaceDays(
  call: PlatformCall,
  place: string,
  { from, to }: AskedDays,
): Promise<DayOfAccount[]> {
  const location = place.slice(place.indexOf('locations/'))
  const url = addressOf(
    `https://businessprofileperformance.googleapis.com/v1/${location}:fetchMultiDailyMetricsTimeSeries`,
    call.urls.baseUrl,
    { ...dateIn('startDate', from), ...dateIn('endDate', to) },
  )
  for (const metric of Object.keys(figureOf)) url.searchParams.append('dailyMetrics', metric)
  const { multiDailyMetricTimeSeries } = await requestAs(call, { url, effect: 'read' }, Series)
  const days = new Map<string, DayOfAccount['figures']>()
  for (const { dailyMetric, timeSeries } of multiDailyMetricTimeSeries.flatMap(
    ({ dailyMetricTimeSeries }) => dailyMetricTimeSeries,
  )) {
    const name = figureOf[dailyMetric]
    for (const { date, value } of name ? timeSeries.datedValues : []) {
      const day = `${date.year}-${twoDigits(date.month)}-${twoDigits(date.day)}`
      const figures = days.get(day) ?? {}
      if (name) days.set(day, { ...figures, [name]: (figures[name] ?? 0) + Number(value) })
    }
  }
  return [...days].map(([day, figures]) => ({ day, figures }))
}

const twoDigits = (n: number) => String(n).padStart(2, '0')

function dateIn(name: 'startDate' | 'endDate', day: string): Record<string, string> {
  const [year = '', month = '', date = ''] = day.split('-')
  return {
    [`dailyRange.${name}.year`]: year,
    [`dailyRange.${name}.month`]: String(Number(month)),
    [`dailyRange.${name}.day`]: String(Number(date)),
  }
}
