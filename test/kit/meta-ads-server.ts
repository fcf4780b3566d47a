import { type Platform, type Said, says, serve } from './platforms/frame.ts'
import { graphError } from './platforms/networks.ts'

export interface MetaCampaign {
  id: string
  account: string
  name: string
  status: 'ACTIVE' | 'PAUSED' | 'ARCHIVED' | 'DELETED'
  /** In the smallest part of the account's currency; left out where the ad sets have budgets. */
  daily?: number
  lifetime?: number
  start?: string
  stop?: string
}

interface MetaAdSet {
  id: string
  campaign: string
  status: 'ACTIVE' | 'PAUSED'
  daily?: number
  lifetime?: number
  start?: string
  end?: string
}

interface MetaDay {
  campaign: string
  date: string
  spend: string
  impressions: number
  clicks: number
  actions: Record<string, number>
}

export interface MetaActivity {
  account: string
  /** Of which campaign it, its ad sets and its ads are told. */
  campaign: string
  at: Date
  type: string
  object: string
  actor?: string
  app?: string
  /** As JSON in a text. */
  extra?: object
}

/** Meta's Marketing API with some accounts, by its documentation. */
export interface MetaAdsServer
  extends Pick<Platform, 'url' | 'requests' | 'mishaps' | 'watchers'>,
    AsyncDisposable {
  accounts: Array<{ id: string; currency: string; timezone: string; status: number }>
  campaigns: Map<string, MetaCampaign>
  sets: MetaAdSet[]
  days: MetaDay[]
  /** The history of the accounts; what is changed here is added to it. */
  activities: MetaActivity[]
  now: () => number
  /** Taken from the front by requests that change nothing. */
  readMishaps: Said[]
  /** Each change that was done, and each that was only tried, as it was sent. */
  done: Array<Record<string, unknown>>
  tried: Array<Record<string, unknown>>
  /** Whether an access token is good. */
  accepts: (token: string) => boolean
}

/** A list is read in pages as small as these. */
const pageSize = 2
/** Of a budget by the day, in the smallest part of any currency. */
const leastDaily = 100

const known = {
  account: ['id', 'currency', 'timezone_name', 'account_status', 'name'],
  campaign: ['id', 'name', 'status', 'daily_budget', 'lifetime_budget', 'start_time', 'stop_time'],
  set: ['id', 'campaign_id', 'status', 'daily_budget', 'lifetime_budget', 'start_time', 'end_time'],
  activity: [
    'event_time',
    'event_type',
    'translated_event_type',
    'actor_id',
    'actor_name',
    'application_name',
    'object_id',
    'object_name',
    'extra_data',
  ],
  day: ['date_start', 'date_stop', 'spend', 'impressions', 'clicks', 'inline_link_clicks', 'actions'],
} as const

export async function createMetaAdsServer(): Promise<MetaAdsServer> {
  const server = await serve(
    ({ method, path: versioned, url, token: bearer, json, query }): Said => {
      const path = /^\/v\d+\.0\/(.*)$/.exec(versioned)?.[1] ?? ''
      const token = bearer || (query.get('access_token') ?? String(json['access_token']))
      if (!self.accepts(token)) return graphError(190, { error_subcode: 463 }, 401)
      if (method === 'POST') return change(path, json)
      return self.readMishaps.shift() ?? read(path, url)
    },
    ({ method, json }) => method === 'POST' && json['execution_options'] === undefined,
  )

  const read = (path: string, url: URL): Said => {
    const query = url.searchParams
    if (path === 'me/adaccounts') return paged(self.accounts.map(accountFields), known.account, url)
    const [, id = '', edge] = /^(\w+)(?:\/(\w+))?$/.exec(path) ?? []
    const account = self.accounts.find((one) => one.id === id)
    if (account) {
      const own = [...self.campaigns.values()].filter((one) => one.account === id)
      if (edge === undefined) return one(accountFields(account), known.account, query)
      if (edge === 'campaigns') return paged(own.map(campaignFields), known.campaign, url)
      if (edge === 'activities') return history(id, url)
      if (edge !== 'adsets') return graphError(2500)
      const inside = self.sets.filter(({ campaign }) => own.some((each) => each.id === campaign))
      return paged(inside.map(setFields), known.set, url)
    }
    const campaign = self.campaigns.get(id)
    if (!campaign) return graphError(100, { error_subcode: 33 })
    if (edge === undefined) return one(campaignFields(campaign), known.campaign, query)
    if (edge !== 'insights' || query.get('time_increment') !== '1') return graphError(100)
    const { since, until } = JSON.parse(query.get('time_range') ?? '{}') as { since: string; until: string }
    const days = self.days.filter((day) => day.campaign === id && day.date >= since && day.date <= until)
    return paged(days.map(dayFields), known.day, url)
  }

  /** Without a span, only a week is told. */
  const history = (account: string, url: URL): Said => {
    const query = url.searchParams
    const [since, until] = ['since', 'until'].map((name) => Number(query.get(name)) * 1_000) as [
      number,
      number,
    ]
    if (!since || !until || query.get('oid') === null || query.get('add_children') !== 'true')
      return graphError(100)
    const told = self.activities.filter(
      ({ account: of, campaign, at }) =>
        of === account && campaign === query.get('oid') && at.getTime() >= since && at.getTime() <= until,
    )
    return paged(told.map(activityFields), known.activity, url)
  }

  const change = (id: string, json: Record<string, unknown>): Said => {
    const campaign = self.campaigns.get(id)
    if (!campaign) return graphError(100, { error_subcode: 33 })
    const { execution_options: options, access_token: _, id: __, ...fields } = json
    if (options !== undefined && String(options) !== 'validate_only') return graphError(100)
    if (campaign.status === 'ARCHIVED' || campaign.status === 'DELETED') return graphError(100)
    for (const name of Object.keys(fields))
      if (name !== 'daily_budget' && name !== 'status') return graphError(100)
    const { daily_budget: daily = campaign.daily, status = campaign.status } = fields
    if ('daily_budget' in fields && campaign.daily === undefined)
      return graphError(100, { error_subcode: 1885621, error_user_msg: 'The ad sets have the budgets.' })
    if (daily !== undefined && (!Number.isInteger(daily) || (daily as number) < leastDaily))
      return graphError(100, { error_subcode: 1885272, error_user_msg: 'Your budget is too low.' })
    if (!['ACTIVE', 'PAUSED', 'ARCHIVED', 'DELETED'].includes(String(status))) return graphError(100)
    if (options !== undefined) self.tried.push(fields)
    else {
      self.done.push(fields)
      const event = { account: campaign.account, campaign: id, object: id, at: new Date(self.now()) }
      const by = { ...event, actor: 'Ada Admin', app: 'Copydesk' }
      if ('daily_budget' in fields) {
        const extra = { type: 'payment_amount', old_value: campaign.daily, new_value: daily }
        self.activities.push({ ...by, type: 'update_campaign_budget', extra })
      }
      if ('status' in fields) {
        const extra = { type: 'run_status', old_value: runs(campaign.status), new_value: runs(status) }
        self.activities.push({ ...by, type: 'update_campaign_run_status', extra })
      }
      Object.assign(campaign, { status }, daily !== undefined && { daily })
    }
    return says({ success: true })
  }

  const self: MetaAdsServer = {
    ...server,
    accounts: [],
    campaigns: new Map(),
    sets: [],
    days: [],
    activities: [],
    now: Date.now,
    readMishaps: [],
    done: [],
    tried: [],
    accepts: () => false,
  }
  return self
}

type Fields = Record<string, unknown>

/** Numbers are texts, and what is not set is left out or nought. */
const text = (value: number | undefined) => (value === undefined ? undefined : String(value))

const accountFields = ({ id, currency, timezone, status }: MetaAdsServer['accounts'][number]): Fields => ({
  id,
  currency,
  timezone_name: timezone,
  account_status: status,
  name: id,
})

const campaignFields = ({ id, name, status, daily, lifetime, start, stop }: MetaCampaign): Fields => ({
  id,
  name,
  status,
  daily_budget: text(daily),
  lifetime_budget: text(lifetime),
  start_time: start,
  stop_time: stop,
})

const setFields = ({ id, campaign, status, daily, lifetime, start, end }: MetaAdSet): Fields => ({
  id,
  campaign_id: campaign,
  status,
  daily_budget: String(daily ?? 0),
  lifetime_budget: String(lifetime ?? 0),
  start_time: start,
  end_time: end,
})

const runs = (status: unknown) => (status === 'ACTIVE' ? 'Active' : 'Inactive')

const activityFields = ({ at, type, object, actor, app, extra }: MetaActivity): Fields => ({
  event_time: at.toISOString().replace(/\.\d+Z$/, '+0000'),
  event_type: type,
  translated_event_type: type.replaceAll('_', ' '),
  actor_id: actor === undefined ? undefined : '77',
  actor_name: actor,
  application_name: app,
  object_id: object,
  object_name: `Object ${object}`,
  extra_data: extra && JSON.stringify(extra),
})

const dayFields = ({ date, spend, impressions, clicks, actions }: MetaDay): Fields => ({
  date_start: date,
  date_stop: date,
  spend,
  impressions: String(impressions),
  clicks: String(clicks * 3),
  inline_link_clicks: clicks === 0 ? undefined : String(clicks),
  actions: Object.entries(actions).map(([action_type, value]) => ({ action_type, value: String(value) })),
})

/** Only what is asked for, and nothing where one of the names is not known. */
function chosen(fields: Fields, names: readonly string[], query: URLSearchParams): Fields | undefined {
  const asked = (query.get('fields') ?? 'id').split(',')
  if (asked.some((name) => !names.includes(name))) return undefined
  return Object.fromEntries(asked.map((name) => [name, fields[name]]))
}

function one(fields: Fields, names: readonly string[], query: URLSearchParams): Said {
  const answer = chosen(fields, names, query)
  return answer ? says(answer) : graphError(100)
}

function paged(all: Fields[], names: readonly string[], url: URL): Said {
  const query = url.searchParams
  const from = Number(query.get('after') ?? 0)
  const data = all.slice(from, from + pageSize).map((fields) => chosen(fields, names, query))
  if (data.includes(undefined)) return graphError(100)
  const after = String(from + pageSize)
  const isLast = from + pageSize >= all.length
  const next = new URL(url)
  next.searchParams.set('after', after)
  // With the token in it, wherever it stood in the request.
  if (!query.has('access_token')) next.searchParams.set('access_token', 'secret')
  return says({
    data,
    paging: { cursors: { before: String(from), after }, ...(!isLast && { next: next.href }) },
  })
}
