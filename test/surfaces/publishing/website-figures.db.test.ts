import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { pullWebsites } from '../../../packages/core/src/domain/delivery/publishing/website/pull.ts'
import { parts } from '../../domain/agents.ts'
import { comeBack } from '../../kit/consents.ts'
import { createGoogleWebsite } from '../../kit/google-website-server.ts'
import { createOAuthServer, type OAuthServer, redirectUrl } from '../../kit/oauth-server.ts'
import { outcomesInReport } from '../../kit/press-reports.ts'
import { openPress, type Press } from '../../kit/publishing.ts'
import { createWordPressServer, type WordPressServer } from '../../kit/wordpress-server.ts'

let provider: OAuthServer
let google: Awaited<ReturnType<typeof createGoogleWebsite>>
let site: WordPressServer
let press: Press
let website: string
const sources = ['web_analytics', 'search_console'] as const
type Source = (typeof sources)[number]

beforeAll(async () => {
  provider = await createOAuthServer()
  // Time is moved in great steps here, also while a token would be renewed.
  provider.expiresIn = undefined
  google = await createGoogleWebsite()
  google.accepts = provider.accepts
  site = await createWordPressServer()
  const { redirectUrls = [], cms_site: client = {} } = provider.channels
  const one = { ...client, baseUrl: google.url }
  press = await openPress({ channels: { redirectUrls, web_analytics: one, search_console: one } })
  website = await press.connect(site)
})

beforeEach(() => {
  google.requests.splice(0)
  google.refusal = undefined
  google.visits = []
  google.hits = []
})

afterAll(async () => {
  await press[Symbol.asyncDispose]()
  for (const one of [site, google, provider]) await one[Symbol.asyncDispose]()
})

const channel = async (type: Source) => {
  const { data } = await press.admin.call('dashboard.channels.list', {})
  return data.find((one) => one.type === type)
}

async function connect(type: Source): Promise<string> {
  const params = { platform: type }
  const { authUrl } = await press.admin.call('dashboard.channels.connect', { params, body: { redirectUrl } })
  const { location } = await comeBack(press.app, await provider.consent(authUrl))
  expect(location?.searchParams.get('status'), type).toBe('connected')
  await settled()
  return (await channel(type))?.id ?? ''
}

/** Waits until every source that was to be asked has been asked, also where it took several attempts. */
async function settled(): Promise<void> {
  const jobs = (...statuses: string[]) =>
    press.count(
      `select count(*) as n from job where kind in ('publish.website', 'channel.resume')
       and status in (${statuses.map(() => '?').join(', ')})`,
      ...statuses,
    )
  await press.app.until(async () => {
    // Time may not outrun the lease of one that is running.
    if ((await jobs('running')) === 0) press.clock.advance(1_000)
    return (await jobs('waiting', 'running')) === 0
  }, 'all were asked')
}

async function request(): Promise<void> {
  await using instance = await parts(press.app)
  await pullWebsites(instance.system())
}

const day = (back: number) => new Date(press.clock.now() - back * 86_400_000).toISOString().slice(0, 10)
const toNextNoon = () => press.clock.advance(86_400_000 - (press.clock.now() % 86_400_000) + 12 * 3_600_000)

/** Goes on to noon of the next day, and has the sources asked. */
async function nextDay(): Promise<void> {
  toNextNoon()
  await request()
  await settled()
}

const health = (channelId: string) => press.admin.call('dashboard.channels.health', { params: { channelId } })

/** A page that is out. */
async function page(title: string) {
  const activityId = await press.approved(`# ${title}\n\nIt is good.\n`)
  const { id } = await press.publish(activityId, website)
  const { status, url } = await press.rests(id)
  expect(status).toBe('published')
  const { hostname, pathname } = new URL(url ?? '')
  return { id, url: url ?? '', host: hostname, path: pathname }
}

const siteRows = () =>
  press.app.db.sql.all<{ day: string; views: string | null; search_clicks: string | null }>(
    `select day, cast(views as text) as views, cast(search_clicks as text) as search_clicks
     from website_days where publication_id = '' order by day`,
  )

describe('dashboard.publications.get: the figures of a page', () => {
  it('are what both sources have counted of its address on each day, and nothing of another page', async () => {
    const rye = await page('Rye')
    const { host } = rye
    const path = rye.path.endsWith('/') ? rye.path : `${rye.path}/`
    google.visits = [
      { day: day(2), host, path, views: 12, sessions: 9, visitors: 8, keyEvents: 1 },
      // The same page without its last slash, under another name of the same host.
      { day: day(2), host: `www.${host}`, path: path.slice(0, -1), views: 3, sessions: 2, visitors: 2 },
      { day: day(2), host: 'elsewhere.example', path, views: 500 },
      { day: day(2), host, path: '/another', views: 100, sessions: 50 },
    ]
    google.hits = [
      { day: day(5), url: rye.url, impressions: 30, clicks: 3, place: 4 },
      { day: day(5), url: `${rye.url.replace(/\/$/, '')}/#part`, impressions: 10, clicks: 1, place: 8 },
      { day: day(5), url: 'https://oats.example/another', impressions: 900, clicks: 90, place: 1 },
    ]
    await connect('web_analytics')
    await connect('search_console')
    const none = { views: null, sessions: null, visitors: null, keyEvents: null }
    const unseen = { searchImpressions: null, searchClicks: null, searchPlace: null }
    expect((await press.show(rye.id)).pageDays).toEqual([
      { day: day(2), views: 15, sessions: 11, visitors: 10, keyEvents: 1, ...unseen },
      { day: day(5), ...none, searchImpressions: 40, searchClicks: 4, searchPlace: 5 },
    ])
    // The website has every day of four weeks, also those on which nobody came.
    const days = await siteRows()
    expect(days.filter(({ views }) => views !== null)).toEqual([
      { day: day(2), views: '615', search_clicks: null },
    ])
    expect(days.filter(({ search_clicks: clicks }) => clicks !== null)).toEqual([
      { day: day(5), views: null, search_clicks: '94' },
    ])
    expect(days).toHaveLength(56)
  })

  it('are put right while they are restated, and not asked for again once they are final', async () => {
    const oats = await page('Oats')
    const { host, path } = oats
    const counted = day(0)
    google.visits = [{ day: counted, host, path, views: 5, sessions: 5, visitors: 5 }]
    google.hits = [{ day: day(2), url: oats.url, impressions: 10, clicks: 2, place: 1 }]
    await nextDay()
    const views = async () =>
      (await press.show(oats.id)).pageDays.map((one) => [one.day, one.views, one.searchClicks])
    expect(await views()).toContainEqual([counted, 5, null])
    google.visits = [{ day: counted, host, path, views: 7, sessions: 6, visitors: 6 }]
    google.hits = []
    google.spans.clear()
    await nextDay()
    expect(await views()).toContainEqual([counted, 7, null])
    // The calendar of the server may have asked on the same day as well: for no day before those four.
    const spans = [...google.spans]
    expect(spans).toContain(`analytics ${day(5)} ${day(1)}`)
    const others = spans.filter((one) => one < `analytics ${day(5)}` || one.startsWith('console'))
    expect(others).toEqual([`console ${day(3)} ${day(3)}`])
    google.visits = []
    await nextDay()
    expect((await press.show(oats.id)).pageDays.filter((one) => one.day === counted)).toEqual([])
  })

  it('are caught up with after a limit or a failure, and only a dead grant ends the connection', async () => {
    const millet = await page('Millet')
    const visit = { day: day(0), host: millet.host, path: millet.path, sessions: 1 }
    google.refusal = google.says.quota
    google.visits = [{ ...visit, views: 2 }]
    await nextDay()
    expect((await press.show(millet.id)).pageDays).toEqual([])
    google.refusal = undefined
    await nextDay()
    expect((await press.show(millet.id)).pageDays).toMatchObject([{ day: visit.day, views: 2 }])
    google.visits = [{ ...visit, views: 4 }]
    google.refusal = google.says.broken
    google.requests.splice(0)
    toNextNoon()
    await request()
    await press.app.until(async () => google.requests.length > 1, 'both were asked')
    // Another attempt of the same jobs brings it.
    google.refusal = undefined
    await settled()
    expect((await press.show(millet.id)).pageDays).toMatchObject([{ day: visit.day, views: 4 }])
    for (const type of sources) expect((await channel(type))?.status).toBe('connected')
  })
})

describe('dashboard.channels.accounts, dashboard.channels.choose_account, dashboard.channels.health: websites of a source', () => {
  it('nothing is read before one of several is chosen, and then what that one has counted', async () => {
    const params = { channelId: (await channel('web_analytics'))?.id ?? '' }
    await press.disconnect(params.channelId)
    // The calendar of the server may have had it asked just before.
    await settled()
    google.requests.splice(0)
    google.properties = ['properties/123', 'properties/456']
    google.property = 'properties/456'
    const spelt = await page('Spelt')
    google.visits = [{ day: day(1), host: spelt.host, path: spelt.path, views: 1, sessions: 1 }]
    await connect('web_analytics')
    await request()
    await settled()
    expect(google.requests.filter((one) => one.includes('runReport'))).toEqual([])
    expect((await health(params.channelId)).advice).toMatchObject([{ code: 'choose_account' }])
    const { data } = await press.admin.call('dashboard.channels.accounts', { params })
    expect(data.map(({ name, chosen }) => [name, chosen])).toEqual([
      ['Oats, properties/123', false],
      ['Oats, properties/456', false],
    ])
    const body = { account: data[1]?.id ?? '' }
    await press.admin.call('dashboard.channels.choose_account', { params, body })
    await settled()
    expect((await press.show(spelt.id)).pageDays).toMatchObject([{ day: day(1), views: 1 }])
    expect((await health(params.channelId)).advice).toEqual([])
    // Websites whose owner has not been proved are none to choose.
    const console = { channelId: (await channel('search_console'))?.id ?? '' }
    const { data: sites } = await press.admin.call('dashboard.channels.accounts', { params: console })
    expect(sites.map(({ name }) => name)).toEqual(['oats.example'])
  })
})

describe('dm.reports.create, dashboard.reports.get: what became of the work', () => {
  it('is added up from what platforms and sources have counted, of all or of some campaigns', async () => {
    const barley = await page('Barley')
    const of = await press.app.db.sql.get<{ campaign_id: string }>(
      `select a.campaign_id from publications p join activities a on a.id = p.activity_id where p.id = ?`,
      [barley.id],
    )
    // A month of which nothing is known yet.
    press.clock.advance(62 * 86_400_000)
    await nextDay()
    const month = day(0).slice(0, 7)
    const { host, path } = await page('Buckwheat')
    google.visits = [
      { day: day(1), host: barley.host, path: barley.path, views: 1_234, sessions: 5, keyEvents: 1 },
      { day: day(1), host, path, views: 4_000, sessions: 2_000 },
    ]
    google.hits = [{ day: day(2), url: barley.url, impressions: 2_000, clicks: 1, place: 3 }]
    await nextDay()
    // A neighbour's website, read from a channel of its own.
    const neighbour = await press.app.team()
    await press.app.db.write((tx) =>
      tx.run(
        `insert into website_days (id, tenant_id, channel_id, account_key, day, publication_id, views, updated_on)
         values (?, ?, ?, ?, ?, '', 999999, ?)`,
        ['N'.repeat(26), neighbour.tenantId, 'C'.repeat(26), 'a'.repeat(32), day(1), press.clock.date()],
      ),
    )
    const became = (more: { campaignIds?: string[]; periodStart?: string; periodEnd?: string } = {}) =>
      outcomesInReport(press, { periodStart: `${month}-01`, periodEnd: `${month}-28`, ...more })
    expect(await became()).toEqual([
      '- Published: 1 piece',
      '- Website: 5,234 views, 2,005 sessions, 1 key event',
      '- Search: 2,000 impressions, 1 click',
    ])
    expect(await became({ campaignIds: [of?.campaign_id ?? ''] })).toEqual([
      '- Website: 1,234 views, 5 sessions, 1 key event',
      '- Search: 2,000 impressions, 1 click',
    ])
    expect(await became({ periodStart: '2025-01-01', periodEnd: '2025-01-31' })).toBeUndefined()
  })
})
