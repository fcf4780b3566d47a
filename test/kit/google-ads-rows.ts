import { type AccountEvent, eventQueryFault, eventsWithin } from './google-ads-events.ts'

/** What a Google Ads account of tests holds, by resource; numbers of 64 bits as Google writes them. */
export interface AdsAccount {
  id: string
  currency: string
  timezone: string
  manager?: boolean
  /** The manager through which it is reached. */
  under?: string
  /** By the day; with `totalMicros` of a whole span, of which nothing is said where it is `'unknown'`. */
  budgets: Map<string, { amountMicros: bigint; shared: boolean; totalMicros?: bigint | 'unknown' }>
  campaigns: Map<
    string,
    { id: string; name: string; status: string; budget: string; startDate?: string; endDate?: string }
  >
  adGroups: Map<string, { id: string; campaign: string; name: string; status: string; bidMicros: bigint }>
  /** Of ad groups, by `group~criterion`. */
  criteria: Map<string, Criterion>
  /** Of campaigns, all negative, by `campaign~criterion`. */
  negatives: Map<string, Criterion>
  /** By `group~ad`. */
  ads: Map<string, SearchAd>
  /** The ads that people have enabled lately, as Google remembers it. */
  enabled: string[]
  days: Day[]
  terms: Term[]
  /** What was changed in it, by anyone. */
  events: AccountEvent[]
}

export interface TextAsset {
  text: string
  pinnedField?: string
}

/** A responsive search ad. */
export interface SearchAd {
  id: string
  /** The ad group. */
  of: string
  status: string
  finalUrls: string[]
  headlines: TextAsset[]
  descriptions: TextAsset[]
  path1?: string
  impressions: number
  /** Of all days. */
  costMicros?: bigint
}

export interface Criterion {
  id: string
  /** The ad group, or the campaign. */
  of: string
  text: string
  matchType: string
  negative: boolean
  status: string
  bidMicros?: bigint
  quality?: number
}

export interface Day {
  campaign: string
  date: string
  costMicros: bigint
  impressions: number
  clicks: number
  conversions: number
}

export interface Term extends Day {
  adGroup: string
  term: string
  matchType: string
}

type Row = Record<string, Record<string, unknown>>

function amountOf(budget: ReturnType<AdsAccount['budgets']['get']>): Record<string, unknown> {
  const total = budget?.totalMicros
  if (total === undefined) return { period: 'DAILY', amountMicros: String(budget?.amountMicros ?? 0n) }
  return { period: 'CUSTOM_PERIOD', ...(total !== 'unknown' && { totalAmountMicros: String(total) }) }
}

/** The rows of a resource, each with everything that can be asked of it. */
export function rowsOf(account: AdsAccount, resource: string): Row[] {
  const name = (kind: string, id: string) => `customers/${account.id}/${kind}/${id}`
  const customer = { id: account.id, currencyCode: account.currency, timeZone: account.timezone }
  const metricsOf = (all: readonly Day[]) => ({
    costMicros: String(all.reduce((sum, { costMicros }) => sum + costMicros, 0n)),
    impressions: String(all.reduce((sum, { impressions }) => sum + impressions, 0)),
    clicks: String(all.reduce((sum, { clicks }) => sum + clicks, 0)),
    conversions: all.reduce((sum, { conversions }) => sum + conversions, 0),
  })
  const campaignOf = (id: string): Row => {
    const campaign = account.campaigns.get(id)
    const budget = account.budgets.get(campaign?.budget ?? '')
    return {
      customer,
      campaign: {
        resourceName: name('campaigns', id),
        id,
        name: campaign?.name,
        status: campaign?.status,
        startDateTime: `${campaign?.startDate ?? '2026-01-01'} 00:00:00`,
        endDateTime: `${campaign?.endDate ?? '2037-12-30'} 23:59:59`,
      },
      campaignBudget: {
        resourceName: name('campaignBudgets', campaign?.budget ?? ''),
        explicitlyShared: budget?.shared ?? false,
        ...amountOf(budget),
      },
    }
  }
  const criterionOf = (one: Criterion) => ({
    criterionId: one.id,
    status: one.status,
    negative: one.negative,
    type: 'KEYWORD',
    keyword: { text: one.text, matchType: one.matchType },
  })
  const groupOf = (id: string): Row => {
    const group = account.adGroups.get(id)
    return {
      adGroup: {
        resourceName: name('adGroups', id),
        id,
        name: group?.name,
        status: group?.status,
        cpcBidMicros: String(group?.bidMicros ?? 0n),
      },
    }
  }
  switch (resource) {
    case 'campaign':
      return [...account.campaigns.keys()].map(campaignOf)
    case 'campaign by day':
      return account.days.map((day) => ({
        ...campaignOf(day.campaign),
        segments: { date: day.date },
        metrics: metricsOf([day]),
      }))
    case 'ad_group':
      return [...account.adGroups.values()].map((group) => ({
        ...campaignOf(group.campaign),
        ...groupOf(group.id),
      }))
    case 'ad_group_criterion':
    case 'keyword_view':
      return [...account.criteria.values()]
        .filter(({ negative }) => resource !== 'keyword_view' || !negative)
        .map((one) => ({
          ...campaignOf(account.adGroups.get(one.of)?.campaign ?? ''),
          ...groupOf(one.of),
          adGroupCriterion: {
            resourceName: name('adGroupCriteria', `${one.of}~${one.id}`),
            ...criterionOf(one),
            ...(one.bidMicros !== undefined && {
              cpcBidMicros: String(one.bidMicros),
              effectiveCpcBidMicros: String(one.bidMicros),
            }),
            ...(one.quality !== undefined && { qualityInfo: { qualityScore: one.quality } }),
          },
          metrics: metricsOf(account.terms.filter(({ term }) => term.includes(one.text))),
        }))
    case 'ad_group_ad':
      return [...account.ads.values()].map((ad) => ({
        ...campaignOf(account.adGroups.get(ad.of)?.campaign ?? ''),
        ...groupOf(ad.of),
        adGroupAd: {
          resourceName: name('adGroupAds', `${ad.of}~${ad.id}`),
          status: ad.status,
          ad: {
            id: ad.id,
            type: 'RESPONSIVE_SEARCH_AD',
            finalUrls: ad.finalUrls,
            responsiveSearchAd: {
              headlines: ad.headlines,
              descriptions: ad.descriptions,
              ...(ad.path1 !== undefined && { path1: ad.path1 }),
            },
          },
        },
        metrics: { impressions: String(ad.impressions), costMicros: String(ad.costMicros ?? 0n) },
      }))
    case 'campaign_criterion':
      return [...account.negatives.values()].map((one) => ({
        ...campaignOf(one.of),
        campaignCriterion: {
          resourceName: name('campaignCriteria', `${one.of}~${one.id}`),
          ...criterionOf(one),
        },
      }))
    case 'search_term_view':
      return account.terms.map((term) => ({
        ...campaignOf(term.campaign),
        ...groupOf(term.adGroup),
        searchTermView: { searchTerm: term.term, status: 'NONE' },
        segments: { date: term.date, searchTermMatchType: term.matchType },
        metrics: metricsOf([term]),
      }))
    default:
      return []
  }
}

const camel = (path: string) => path.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())

const at = (row: Row, path: string): unknown => {
  let value: unknown = row
  for (const part of camel(path).split('.')) value = (value as Record<string, unknown> | undefined)?.[part]
  return value
}

/** What a query in GAQL selects; undefined for one that the server does not take. */
export function answerQuery(
  account: AdsAccount,
  query: string,
  now: number,
): object[] | { family: string; code: string } | undefined {
  const read = /^SELECT (.+?) FROM (\w+)(?: WHERE (.+?))?(?: ORDER BY ([\w. ,]+))?(?: LIMIT (\d+))?$/.exec(
    query.trim(),
  )
  if (!read) return undefined
  const [, selected = '', from = '', conditions = '', , limit] = read
  const fields = selected.split(',').map((field) => field.trim())
  // The history of an account is told for a span of days, and so many rows of it.
  const code = from === 'change_event' ? eventQueryFault(query, now) : undefined
  if (code !== undefined) return { family: 'changeEventError', code }
  const resource = from === 'campaign' && fields.includes('segments.date') ? 'campaign by day' : from
  const parts = conditions === '' ? [] : conditions.split(/ AND (?!')/)
  // The figures of keywords and ads are of all days here.
  const ofDays = (part: string) =>
    (from === 'keyword_view' || from === 'ad_group_ad') && part.startsWith('segments.')
  const tests = parts
    .filter((part) => !ofDays(part) && !part.startsWith('change_event.change_date'))
    .map(testOf)
  if (tests.includes(undefined)) return undefined
  const all = rowsOf(account, resource)
  if (from === 'change_event') all.push(...eventsWithin(account, conditions, now))
  const rows = all.filter((row) => tests.every((test) => test?.(row)))
  return rows.slice(0, Number(limit ?? rows.length)).map((row) => {
    const shown: Row = {}
    for (const field of fields) {
      const [head = '', ...rest] = camel(field).split('.')
      const value = at(row, field)
      if (value === undefined) continue
      let into: Record<string, unknown> = (shown[head] ??= {})
      for (const part of rest.slice(0, -1)) into = (into[part] ??= {}) as Record<string, unknown>
      into[rest.at(-1) ?? ''] = value
    }
    return shown
  })
}

function testOf(condition: string): ((row: Row) => boolean) | undefined {
  const between = /^([\w.]+) BETWEEN '([^']+)' AND '([^']+)'$/.exec(condition)
  if (between) {
    const [, path = '', from = '', to = ''] = between
    return (row) => String(at(row, path)) >= from && String(at(row, path)) <= to
  }
  const [, path = '', operator, value = ''] = /^([\w.]+) (=|!=|>|IN) (.+)$/.exec(condition) ?? []
  const values = value
    .replace(/^\(|\)$/g, '')
    .split(',')
    .map((one) => one.trim().replaceAll("'", ''))
  const same = (row: Row) => values.some((one) => String(at(row, path)).toLowerCase() === one.toLowerCase())
  if (operator === undefined) return undefined
  if (operator === '>') return (row) => Number(at(row, path)) > Number(value)
  return operator === '!=' ? (row) => !same(row) : same
}
