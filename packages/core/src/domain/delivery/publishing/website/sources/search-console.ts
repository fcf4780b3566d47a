import { z } from 'zod'
import { addDays, dayIn, daysBetween, daysFrom } from '../../../../../kernel/periods.ts'
import type { PlatformCall } from '../../../../accounts/channels/platform-call.ts'
import type { PlatformAccount } from '../../connector.ts'
import { googleRules } from '../../connectors/google.ts'
import { addressOf, requestAs } from '../../connectors/requests.ts'
import { type DayOfPage, pageKey } from '../figures.ts'
import type { AskedDays, WebsiteSource } from '../source.ts'

/** Days are Google's own, and final after three of them; what is final is never asked for again. */
const zone = 'America/Los_Angeles'
const lateDays = 3
/** How far back the first time goes, and how many days one turn asks for: each is a request. */
const firstDays = 28
const mostDays = 28
/** Pages of a day, those with the most clicks first, and the bytes that they may take: they are read in one piece. */
const mostRows = 5_000
const mostBytes = 4 * 1024 * 1024

const Sites = z.object({
  siteEntry: z.array(z.object({ siteUrl: z.string(), permissionLevel: z.string().default('') })).default([]),
})
const Rows = z.object({
  rows: z
    .array(
      z.object({
        keys: z.array(z.string()),
        clicks: z.number().nonnegative(),
        impressions: z.number().nonnegative(),
        position: z.number().nonnegative().default(0),
      }),
    )
    .default([]),
})

/** Google Search Console. Sums by page are lower than those of the website: Google leaves rare queries out. */
export const searchConsole: WebsiteSource = {
  type: 'search_console',
  rules: googleRules,
  accounts: sites,
  due(now, known) {
    const to = addDays(dayIn(now, zone), -lateDays)
    const first = addDays(to, 1 - firstDays)
    const from = known === null || known < first ? first : addDays(known, 1)
    if (from > to) return null
    const last = addDays(from, mostDays - 1)
    return { from, to: last < to ? last : to }
  },
  async read(call, span, pages) {
    const { from, to } = span
    const found: DayOfPage[] = (await query(call, span, 'date')).map(({ key, figures }) => ({
      day: key,
      page: null,
      figures,
    }))
    if (pages.size === 0) return found
    for (const day of daysFrom(from, daysBetween(from, to)))
      for (const { key, figures } of await query(call, { from: day, to: day }, 'page')) {
        const page = pageKey(key)
        if (page !== null && pages.has(page)) found.push({ day, page, figures })
      }
    return found
  },
}

async function query(call: PlatformCall, { from, to }: AskedDays, dimension: 'date' | 'page') {
  const site = encodeURIComponent(call.account['site'] ?? '')
  const base = 'https://searchconsole.googleapis.com/webmasters/v3/sites/'
  const json = {
    startDate: from,
    endDate: to,
    dimensions: [dimension],
    type: 'web',
    rowLimit: mostRows,
    startRow: 0,
    dataState: 'final',
  }
  const url = addressOf(`${base}${site}/searchAnalytics/query`, call.urls.baseUrl)
  const request = { method: 'POST', url, json, effect: 'read', maxBytes: mostBytes } as const
  const { rows } = await requestAs(call, request, Rows)
  return rows.map(({ keys: [key = ''], clicks, impressions, position }) => ({
    key,
    figures: {
      searchImpressions: Math.round(impressions),
      searchClicks: Math.round(clicks),
      searchPlaceMilli: Math.round(position * 1_000),
    },
  }))
}

async function sites(call: PlatformCall): Promise<PlatformAccount[]> {
  const url = addressOf('https://searchconsole.googleapis.com/webmasters/v3/sites', call.urls.baseUrl)
  const { siteEntry } = await requestAs(call, { url, effect: 'read' }, Sites)
  return siteEntry
    .filter(({ permissionLevel }) => permissionLevel !== 'siteUnverifiedUser')
    .map(({ siteUrl }) => ({ name: siteUrl.replace(/^sc-domain:/, ''), account: { site: siteUrl } }))
}
