import { type Platform, type Said, says, serve } from './platforms/frame.ts'

export interface LinkedinCampaign {
  id: number
  account: number
  name: string
  status: 'ACTIVE' | 'PAUSED' | 'DRAFT' | 'ARCHIVED' | 'COMPLETED'
  dailyBudget?: { amount: string; currencyCode: string }
  totalBudget?: { amount: string; currencyCode: string }
  runSchedule?: { start: number; end?: number }
}

interface LinkedinDay {
  campaign: number
  date: [year: number, month: number, day: number]
  impressions: number
  clicks: number
  costInLocalCurrency: string
  externalWebsiteConversions?: number
  oneClickLeads?: number
}

/** LinkedIn's advertising API with some accounts, by its documentation. */
export interface LinkedinAdsServer
  extends Pick<Platform, 'url' | 'requests' | 'mishaps' | 'watchers'>,
    AsyncDisposable {
  accounts: Array<{ id: number; currency: string; status: string }>
  campaigns: Map<string, LinkedinCampaign>
  days: LinkedinDay[]
  /** What was searched for, path and query as they were sent. */
  searches: string[]
  /** Each change that was done, as it was sent. */
  done: Array<Record<string, unknown>>
  /** Whether an access token is good, and whether its consent includes ads. */
  accepts: (token: string) => boolean
  mayAds: boolean
}

const pageSize = 2
const refuse = (status: number, code: string): Said => ({
  status,
  body: { status, code, message: `No: ${code}` },
})

export async function createLinkedinAdsServer(): Promise<LinkedinAdsServer> {
  const server = await serve(
    ({ method, path, url, token, json, headers, query }): Said => {
      if (!self.accepts(token)) return refuse(401, 'INVALID_ACCESS_TOKEN')
      if (!/^\d{6}$/.test(String(headers['linkedin-version']))) return refuse(400, 'VERSION_MISSING')
      if (headers['x-restli-protocol-version'] !== '2.0.0') return refuse(400, 'PROTOCOL')
      if (!self.mayAds) return refuse(403, 'ACCESS_DENIED')
      // LinkedIn takes capitals and small letters.
      const act = String(headers['x-restli-method']).toUpperCase()
      if (act === 'FINDER') self.searches.push(url.pathname + url.search)
      const isSearch = query.get('q') === 'search' && act === 'FINDER'
      if (path === '/rest/adAnalytics') return analytics(url, query)
      if (path === '/rest/adAccounts') return isSearch ? paged(self.accounts, query) : refuse(400, 'Q')
      const [, id, list, campaignId] =
        /^\/rest\/adAccounts\/(\d+)(\/adCampaigns)?(?:\/(\d+))?$/.exec(path) ?? []
      const account = self.accounts.find((one) => String(one.id) === id)
      if (!account) return refuse(404, 'NOT_FOUND')
      if (list === undefined) return says(account)
      if (campaignId === undefined) {
        const own = [...self.campaigns.values()].filter((one) => one.account === account.id)
        return isSearch ? paged(own, query) : refuse(400, 'Q')
      }
      const campaign = self.campaigns.get(campaignId)
      if (campaign?.account !== account.id) return refuse(404, 'NOT_FOUND')
      if (method === 'GET') return says(campaign)
      return act === 'PARTIAL_UPDATE' ? change(campaign, account.currency, json) : refuse(400, 'METHOD')
    },
    ({ method }) => method === 'POST',
  )

  const change = (campaign: LinkedinCampaign, currency: string, json: Record<string, unknown>): Said => {
    const { $set: fields = {} } = (json['patch'] ?? {}) as { $set?: Partial<LinkedinCampaign> }
    const { status, dailyBudget, ...rest } = fields
    if (Object.keys(rest).length > 0) return refuse(400, 'FIELD')
    if (status !== undefined && !['ACTIVE', 'PAUSED'].includes(campaign.status))
      return refuse(400, 'STATUS_CHANGE_NOT_ALLOWED')
    if (dailyBudget && dailyBudget.currencyCode !== currency) return refuse(400, 'CURRENCY_MISMATCH')
    if (dailyBudget && (!/^\d+\.\d\d$/.test(dailyBudget.amount) || Number(dailyBudget.amount) < 10))
      return refuse(400, 'FIELD_VALUE_TOO_LOW')
    self.done.push(fields)
    Object.assign(campaign, fields)
    return { status: 204 }
  }

  const analytics = (url: URL, query: URLSearchParams): Said => {
    // Values in lists are encoded, the lists themselves are not.
    const campaign = /&campaigns=List\(urn%3Ali%3AsponsoredCampaign%3A(\d+)\)/.exec(url.search)?.[1]
    const [, from, to] = /^\(start:\((.*)\),end:\((.*)\)\)$/.exec(query.get('dateRange') ?? '') ?? []
    const fields = (query.get('fields') ?? 'impressions,clicks').split(',')
    if (campaign === undefined || from === undefined || to === undefined) return refuse(400, 'QUERY')
    if (query.get('timeGranularity') !== 'DAILY' || fields.length > 20) return refuse(400, 'QUERY')
    const numberOf = (text: string) => {
      const [year = 0, month = 0, day = 0] = (text.match(/\d+/g) ?? []).map(Number)
      return year * 10_000 + month * 100 + day
    }
    const elements = self.days
      .filter(({ campaign: of, date: [year, month, day] }) => {
        const at = year * 10_000 + month * 100 + day
        return String(of) === campaign && at >= numberOf(from) && at <= numberOf(to)
      })
      .map(({ date: [year, month, day], ...figures }) => {
        const dateRange = { start: { year, month, day }, end: { year, month, day } }
        const all: Record<string, unknown> = { ...figures, dateRange }
        return Object.fromEntries(fields.map((name) => [name, all[name]]))
      })
    return says({ elements, paging: { count: 10, start: 0, links: [] } })
  }

  const self: LinkedinAdsServer = {
    ...server,
    accounts: [],
    campaigns: new Map(),
    days: [],
    searches: [],
    done: [],
    accepts: () => false,
    mayAds: true,
  }
  return self
}

function paged(all: readonly unknown[], query: URLSearchParams): Said {
  const from = Number(query.get('pageToken') ?? 0)
  const next = from + pageSize
  return says({
    elements: all.slice(from, next),
    metadata: next < all.length ? { nextPageToken: String(next) } : {},
  })
}
