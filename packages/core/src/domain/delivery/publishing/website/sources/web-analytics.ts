import { z } from 'zod'
import { addDays, dayIn } from '../../../../../kernel/periods.ts'
import type { PlatformCall } from '../../../../accounts/channels/platform-call.ts'
import { PlatformError } from '../../../../accounts/channels/platform-error.ts'
import type { PlatformAccount } from '../../connector.ts'
import { googleRules } from '../../connectors/google.ts'
import { addressOf, requestAs } from '../../connectors/requests.ts'
import { type DayOfPage, pageKeyOf } from '../figures.ts'
import type { AskedDays, WebsiteSource } from '../source.ts'

/** How far back the first time goes, and how many days are asked for again: Google puts them right for two to three days. */
const firstDays = 28
const restatedDays = 4
/** Paths that one request names: each may come twice for each day and host. Rows that it brings at most, and their bytes. */
const pathsAtOnce = 25
const mostRows = 10_000
const mostBytes = 4 * 1024 * 1024
/** Pages of the list of properties that are read, of 200 each. */
const mostLists = 10

const metrics = ['screenPageViews', 'sessions', 'totalUsers', 'keyEvents'] as const

const Summaries = z.object({
  accountSummaries: z
    .array(
      z.object({
        displayName: z.string().default(''),
        propertySummaries: z
          .array(z.object({ property: z.string(), displayName: z.string().default('') }))
          .default([]),
      }),
    )
    .default([]),
  nextPageToken: z.string().optional(),
})

const value = z.object({ value: z.string().default('') })
const Report = z.object({
  rows: z.array(z.object({ dimensionValues: z.array(value), metricValues: z.array(value) })).default([]),
})

/** Google Analytics 4: the Data API, and the Admin API for the list of properties. */
export const webAnalytics: WebsiteSource = {
  type: 'web_analytics',
  rules: googleRules,
  accounts: properties,
  due(now, known) {
    const to = addDays(dayIn(now, 'UTC'), -1)
    const first = addDays(to, 1 - firstDays)
    const again = known === null ? first : addDays(known, 1 - restatedDays)
    return { from: again > first ? again : first, to }
  },
  async read(call, span, pages) {
    const days = await report(call, span, ['date'])
    const found: DayOfPage[] = days.map(({ dimensions: [date = ''], figures }) => ({
      day: dayOf(date),
      page: null,
      figures,
    }))
    const paths = [...new Set([...pages].map(pathOf))]
    for (let at = 0; at < paths.length; at += pathsAtOnce) {
      const some = paths.slice(at, at + pathsAtOnce)
      // A path is counted with and without its last slash.
      const values = some.flatMap((path) => (path === '' ? ['/'] : [path, `${path}/`]))
      const filter = { filter: { fieldName: 'pagePath', inListFilter: { values, caseSensitive: true } } }
      const rows = await report(call, span, ['date', 'hostName', 'pagePath'], filter)
      for (const { dimensions, figures } of rows) {
        const [date = '', host = '', path = ''] = dimensions
        const page = pageKeyOf(host, path)
        if (pages.has(page)) found.push({ day: dayOf(date), page, figures })
      }
    }
    return found
  },
}

/** Of a page by its key, which begins with its host. */
const pathOf = (page: string) => page.slice(page.indexOf('/') < 0 ? page.length : page.indexOf('/'))

/** Google writes days as `20261125`. */
const dayOf = (date: string) => `${date.slice(0, 4)}-${date.slice(4, 6)}-${date.slice(6, 8)}`

async function report(call: PlatformCall, { from, to }: AskedDays, dimensions: string[], filter?: object) {
  const property = call.account['property'] ?? ''
  const base = 'https://analyticsdata.googleapis.com/v1beta/'
  const json = {
    dateRanges: [{ startDate: from, endDate: to }],
    dimensions: dimensions.map((name) => ({ name })),
    metrics: metrics.map((name) => ({ name })),
    limit: String(mostRows),
    ...(filter && { dimensionFilter: filter }),
  }
  const url = addressOf(`${base}${property}:runReport`, call.urls.baseUrl)
  const request = { method: 'POST', url, json, effect: 'read', maxBytes: mostBytes } as const
  const { rows } = await requestAs(call, request, Report)
  return rows.map(({ dimensionValues, metricValues }) => {
    const [views = 0, sessions = 0, visitors = 0, keyEvents = 0] = metricValues.map(({ value: text }) =>
      countOf(text),
    )
    return {
      dimensions: dimensionValues.map(({ value: text }) => text),
      figures: { views, sessions, visitors, keyEvents },
    }
  })
}

/** All figures come as text; key events may have a fraction. */
function countOf(text: string): number {
  const number = Math.round(Number(text))
  if (Number.isSafeInteger(number) && number >= 0) return number
  throw new PlatformError('transient', 'Google Analytics has answered with a figure that is none')
}

async function properties(call: PlatformCall): Promise<PlatformAccount[]> {
  const found: PlatformAccount[] = []
  let pageToken: string | undefined
  for (let list = 0; list < mostLists; list += 1) {
    const url = addressOf(
      'https://analyticsadmin.googleapis.com/v1beta/accountSummaries',
      call.urls.baseUrl,
      {
        pageSize: '200',
        ...(pageToken !== undefined && { pageToken }),
      },
    )
    const { accountSummaries, nextPageToken } = await requestAs(call, { url, effect: 'read' }, Summaries)
    for (const { displayName: account, propertySummaries } of accountSummaries)
      for (const { property, displayName } of propertySummaries)
        if (/^properties\/\d{1,20}$/.test(property))
          found.push({
            name: [account, displayName].filter(Boolean).join(', ') || property,
            account: { property },
          })
    pageToken = nextPageToken
    if (!pageToken) break
  }
  return found
}
