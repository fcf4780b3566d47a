import { type Asked, fails, type Said, says, serve } from './platforms/frame.ts'

/** What was counted of an address on a day; all of it is zero where it is left out. */
export interface Visit {
  day: string
  host: string
  path: string
  views: number
  sessions?: number
  visitors?: number
  keyEvents?: number
}

export interface Hit {
  day: string
  url: string
  impressions: number
  clicks: number
  place: number
}

/** Google Analytics 4 and Google Search Console, as far as a website's figures are read from them. */
export async function createGoogleWebsite() {
  const refuse = (code: number, status: string): Said => ({
    status: code,
    body: { error: { code, status, message: `No: ${status}`, details: [] } },
  })
  const report = ({ json, path }: Asked): Said => {
    const { dateRanges, dimensions, metrics, limit, dimensionFilter } = json as {
      dateRanges?: Array<{ startDate: string; endDate: string }>
      dimensions?: Array<{ name: string }>
      metrics?: Array<{ name: string }>
      limit?: unknown
      dimensionFilter?: { filter?: { fieldName?: string; inListFilter?: { values?: string[] } } }
    }
    if (!path.startsWith(`/v1beta/${self.property}:`)) return refuse(403, 'PERMISSION_DENIED')
    const [range, ...others] = dateRanges ?? []
    const known = [...(metrics ?? [])].every(({ name }) => name in countedBy)
    if (!range || others.length > 0 || !known || typeof limit !== 'string' || Number(limit) > 250_000)
      return refuse(400, 'INVALID_ARGUMENT')
    self.spans.add(`analytics ${range.startDate} ${range.endDate}`)
    const wanted = dimensionFilter?.filter?.inListFilter?.values
    if (dimensionFilter && (dimensionFilter.filter?.fieldName !== 'pagePath' || !wanted?.length))
      return refuse(400, 'INVALID_ARGUMENT')
    const rows = new Map<string, number[]>()
    for (const visit of self.visits) {
      if (visit.day < range.startDate || visit.day > range.endDate) continue
      if (wanted && !wanted.includes(visit.path)) continue
      const values = { date: visit.day.replaceAll('-', ''), hostName: visit.host, pagePath: visit.path }
      const key = (dimensions ?? []).map(({ name }) => values[name as keyof typeof values]).join('\n')
      const counts = (metrics ?? []).map(({ name }) => visit[countedBy[name as keyof typeof countedBy]] ?? 0)
      rows.set(
        key,
        counts.map((value, n) => value + (rows.get(key)?.[n] ?? 0)),
      )
    }
    const value = (text: unknown) => ({ value: String(text) })
    return says({
      dimensionHeaders: dimensions,
      metricHeaders: metrics,
      // No rows at all are no `rows`.
      ...(rows.size > 0 && {
        rows: [...rows].map(([key, counts]) => ({
          dimensionValues: key.split('\n').map(value),
          metricValues: counts.map(value),
        })),
      }),
      rowCount: rows.size,
      metadata: { timeZone: 'Europe/Berlin', currencyCode: 'EUR' },
      kind: 'analyticsData#runReport',
    })
  }
  const query = ({ url, json }: Asked): Said => {
    const site = decodeURIComponent(url.pathname.split('/')[4] ?? '')
    const { startDate, endDate, dimensions, dataState, rowLimit } = json as Record<string, unknown>
    if (site !== self.site) return refuse(403, 'PERMISSION_DENIED')
    if (!Array.isArray(dimensions) || dataState !== 'final' || Number(rowLimit) > 25_000)
      return refuse(400, 'INVALID_ARGUMENT')
    self.spans.add(`console ${String(startDate)} ${String(endDate)}`)
    const rows = new Map<string, { clicks: number; impressions: number; places: number }>()
    for (const { day, url: page, impressions, clicks, place } of self.hits) {
      if (day < String(startDate) || day > String(endDate)) continue
      const key = dimensions[0] === 'date' ? day : page
      const row = rows.get(key) ?? { clicks: 0, impressions: 0, places: 0 }
      rows.set(key, {
        clicks: row.clicks + clicks,
        impressions: row.impressions + impressions,
        places: row.places + place * impressions,
      })
    }
    return says({
      ...(rows.size > 0 && {
        rows: [...rows].map(([key, { clicks, impressions, places }]) => ({
          keys: [key],
          clicks,
          impressions,
          ctr: clicks / impressions,
          position: places / impressions,
        })),
      }),
      responseAggregationType: 'byPage',
    })
  }
  const respond = (asked: Asked): Said => {
    const { method, path, token } = asked
    if (!self.accepts(token)) return refuse(401, 'UNAUTHENTICATED')
    if (self.refusal) return self.refusal
    if (method === 'GET' && path === '/v1beta/accountSummaries')
      return says({
        accountSummaries: [
          {
            account: 'accounts/1',
            displayName: 'Oats',
            propertySummaries: self.properties.map((property) => ({ property, displayName: property })),
          },
        ],
      })
    if (method === 'GET' && path === '/webmasters/v3/sites')
      return says({
        siteEntry: [
          { siteUrl: self.site, permissionLevel: 'siteOwner' },
          { siteUrl: 'https://another.example/', permissionLevel: 'siteUnverifiedUser' },
        ],
      })
    if (method === 'POST' && path.endsWith(':runReport')) return report(asked)
    if (method === 'POST' && path.endsWith('/searchAnalytics/query')) return query(asked)
    return fails(404)
  }
  const server = await serve(respond, () => false)
  const self = {
    ...server,
    accepts: (_token: string): boolean => false,
    /** What every request with a good token is answered, until it is set back. */
    refusal: undefined as Said | undefined,
    /** Those that the consent opens, and the one that answers. */
    properties: ['properties/123'],
    property: 'properties/123',
    site: 'sc-domain:oats.example',
    /** The days that were asked for, each span once. */
    spans: new Set<string>(),
    visits: [] as Visit[],
    hits: [] as Hit[],
    says: {
      quota: refuse(429, 'RESOURCE_EXHAUSTED'),
      broken: refuse(503, 'UNAVAILABLE'),
    },
  }
  return self
}

const countedBy = {
  screenPageViews: 'views',
  sessions: 'sessions',
  totalUsers: 'visitors',
  keyEvents: 'keyEvents',
} as const
