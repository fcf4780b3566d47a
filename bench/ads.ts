import { join } from 'node:path'
import { type CopydeskOptions, createCopydesk } from '@copydesk/core'
import BetterSqlite from 'better-sqlite3'
import { silentLogger } from '../packages/core/src/platform/logger.ts'
import { createGoogleAdsServer, type GoogleAdsServer } from '../test/kit/google-ads-server.ts'
import { createOAuthServer, redirectUrl } from '../test/kit/oauth-server.ts'
import { fillLists, fillPlatform, listedCampaign, restate } from './ads-data.ts'
import { type Installation, memberTokens, type Seeded, seed } from './installation.ts'
import { type Bench, expectEqual, type Metrics, more, percentile } from './measure.ts'
import { onBoth, within } from './on-both.ts'
import { startSubject } from './processes.ts'

const campaigns = 1_000
const days = 90
/** What a request takes over at most. */
const perImport = 200
const repetitions = 150
const peer = 'the same requests one by one, and hand-written statements, a commit for each campaign'

/** Figures of a thousand campaigns come from a platform on the same machine, twice; then lists of many keywords and search terms. */
export const ads: Bench = {
  name: 'ads',
  long: true,
  run({ rows }, say) {
    return onBoth(async (name, installation, folder) => ({
      ...(await measureFigures(name, installation, folder, say)),
      ...(await measureLists(name, installation, folder, rows, say)),
    }))
  },
}

type Own = Installation & Pick<CopydeskOptions, 'channels' | 'allowHosts'>

async function measureFigures(
  name: string,
  installation: Installation,
  folder: string,
  say: (line: string) => void,
): Promise<Metrics> {
  await using provider = await createOAuthServer()
  provider.expiresIn = 365 * 86_400
  await using google = await createGoogleAdsServer()
  google.accepts = (token) => token === 'peer' || provider.accepts(token)
  const platform = fillPlatform(google, campaigns, days)
  const search_ads = { ...provider.channels.search_ads, baseUrl: google.url }
  const own: Own = {
    ...installation,
    channels: { ...provider.channels, search_ads },
    allowHosts: ['127.0.0.1'],
  }
  const seeded = await seed(installation, { approvals: 0, reviewers: 30 })
  await asAdmin(own, seeded, (admin, answer) => importAll(admin, answer, provider))
  const first = await synced(own, folder, 'last_synced_at is not null', campaigns * days)
  say(`  ${name}: ${Math.round(first.rate)} days/s, ${first.growth.toFixed(0)} MiB more in the second half`)
  const mark = new Date()
  const restated = restate(google)
  await asAdmin(own, seeded, async (admin) => {
    const ids = await within(own, (db) => db.sql.all<{ id: string }>('select id from campaigns'))
    for (const { id: campaignId } of ids)
      await admin.call('tenant.campaigns.sync_metrics', { params: { campaignId } })
  })
  const second = await synced(own, folder, `last_synced_at > '${sqlTime(own, mark)}'`, campaigns * 31)
  const written = await within(own, (db) =>
    db.sql.get<{ n: number }>('select count(*) as n from campaign_metrics where updated_on > ?', [mark]),
  )
  expectEqual('days that were written again', Number(written?.n), restated)
  const byHand = name === 'sqlite' ? await peerRate(folder, google, platform) : undefined
  return {
    [`ads.${name}.metrics`]:
      byHand === undefined ? { value: first.rate, unit: 'days/s' } : more(first.rate, 'days/s', peer, byHand),
    [`ads.${name}.metrics.again`]: { value: second.rate, unit: 'days/s, of which 100 are written' },
    [`ads.${name}.metrics.growth`]: { value: first.growth, unit: 'MiB in the second half' },
  }
}

/** A time as the column has it. */
const sqlTime = ({ database }: Installation, at: Date) =>
  database.startsWith('postgres') ? at.toISOString() : String(at.getTime())

type Answer = (url: URL) => Promise<unknown>
type Admin = ReturnType<Awaited<ReturnType<typeof createCopydesk>>['as']>

async function asAdmin(
  own: Own,
  { tenantId, adminId }: Seeded,
  work: (admin: Admin, answer: Answer) => Promise<void>,
): Promise<void> {
  const copydesk = await createCopydesk({ ...own, log: silentLogger, worker: false })
  const actor = { id: adminId, type: 'human', role: 'admin', appAccess: ['dashboard'], tenantId } as const
  try {
    await work(copydesk.as(actor), (url) => copydesk.fetch(new Request(url)))
  } finally {
    await copydesk.stop()
  }
}

async function importAll(
  admin: Admin,
  answer: Answer,
  provider: Awaited<ReturnType<typeof createOAuthServer>>,
): Promise<void> {
  const { authUrl } = await admin.call('dashboard.channels.connect', {
    params: { platform: 'search_ads' },
    body: { redirectUrl },
  })
  await answer(await provider.consent(authUrl))
  const { data } = await admin.call('dashboard.channels.list', {})
  const connectedChannelId = data[0]?.id ?? ''
  const found = await admin.call('tenant.campaigns.import_list', {
    query: { channel: 'search_ads', connectedChannelId },
  })
  for (let from = 0; from < campaigns; from += perImport)
    await admin.call('tenant.campaigns.import_all', {
      body: {
        connectedChannelId,
        platform: 'search_ads',
        campaigns: found.campaigns
          .slice(from, from + perImport)
          .map(({ externalCampaignId, name }) => ({ externalCampaignId, name })),
      },
    })
}

/** Starts a server and waits until it has fetched everything. @returns days per second, and how its memory grew in the second half */
async function synced(own: Own, folder: string, condition: string, expected: number) {
  const begun = performance.now()
  await using server = await startSubject('servers/copydesk.ts', { ...own, working: true }, folder)
  const done = () =>
    within(own, async (db) =>
      Number(
        (await db.sql.get<{ n: number }>(`select count(*) as n from campaign_mappings where ${condition}`))
          ?.n,
      ),
    )
  let half: number | undefined
  for (;;) {
    const count = await done()
    if (half === undefined && count >= campaigns / 2) half = await server.ask<number>('memory')
    if (count >= campaigns) break
    await new Promise((resolve) => setTimeout(resolve, 250))
  }
  const rate = expected / ((performance.now() - begun) / 1_000)
  const growth = ((await server.ask<number>('memory')) - (half ?? 0)) / 2 ** 20
  return { rate, growth }
}

/** The same answers and rows without a product around them. */
async function peerRate(
  folder: string,
  google: GoogleAdsServer,
  platform: ReadonlyMap<string, string>,
): Promise<number> {
  using db = Object.assign(new BetterSqlite(join(folder, 'peer.db')), {
    [Symbol.dispose]: () => db.close(),
  })
  db.pragma('journal_mode = wal')
  db.pragma('synchronous = full')
  db.exec(
    'create table days (campaign text, date text, cost integer, impressions integer, clicks integer, conversions real, primary key (campaign, date))',
  )
  const insert = db.prepare('insert into days values (?, ?, ?, ?, ?, ?)')
  const keep = db.transaction((rows: unknown[][]) => rows.forEach((row) => insert.run(...row)))
  const dates = [...google.accounts.values()][0]?.days.slice(0, days).map(({ date }) => date) ?? []
  const span = [dates.at(-1), dates[0]]
  const begun = performance.now()
  for (const [id, account] of platform) {
    const query = `SELECT segments.date, metrics.cost_micros, metrics.impressions, metrics.clicks, metrics.conversions FROM campaign WHERE campaign.id = ${id} AND segments.date BETWEEN '${span[0]}' AND '${span[1]}' ORDER BY segments.date`
    const response = await fetch(`${google.url}/v25/customers/${account}/googleAds:searchStream`, {
      method: 'POST',
      headers: { authorization: 'Bearer peer', 'content-type': 'application/json' },
      body: JSON.stringify({ query }),
    })
    const batches = (await response.json()) as Array<{
      results: Array<{ segments: { date: string }; metrics: Record<string, string | number> }>
    }>
    keep(
      batches.flatMap(({ results }) =>
        results.map(({ segments, metrics }) => [
          id,
          segments.date,
          Number(metrics['costMicros']),
          Number(metrics['impressions']),
          Number(metrics['clicks']),
          metrics['conversions'],
        ]),
      ),
    )
  }
  const rate = (campaigns * days) / ((performance.now() - begun) / 1_000)
  const { n } = db.prepare('select count(*) as n from days').get() as { n: number }
  expectEqual('days of the peer', n, campaigns * days)
  return rate
}

/** Paths below the tenant's surface, and one of the dashboard's. */
const lists = {
  keywords: `/tenant/v1/campaigns/${listedCampaign}/keywords?limit=50`,
  'keywords.deep': `/tenant/v1/campaigns/${listedCampaign}/keywords?limit=50&page=300`,
  'keywords.paused': `/tenant/v1/campaigns/${listedCampaign}/keywords?limit=50&status=paused`,
  terms: `/tenant/v1/campaigns/${listedCampaign}/search-terms?limit=50`,
  'terms.sorted': `/tenant/v1/campaigns/${listedCampaign}/search-terms?limit=50&classification=watch`,
  'terms.all': '/dashboard/v1/paid-ads/search-terms?limit=50',
} as const

async function measureLists(
  name: string,
  installation: Installation,
  folder: string,
  rows: number,
  say: (line: string) => void,
): Promise<Metrics> {
  const tenant = await within(installation, (db) =>
    db.sql.get<{ id: string }>('select id from tenants limit 1'),
  )
  const people = await within(installation, (db) =>
    db.sql.all<{ id: string }>(`select id from users where role = 'reviewer'`),
  )
  const tenantId = tenant?.id ?? ''
  await within(installation, (db) => fillLists(db, tenantId, rows))
  say(`  ${name}: ${rows} keywords and ${rows} search terms are there`)
  const tokens = await memberTokens(
    tenantId,
    people.map(({ id }) => id),
  )
  await using server = await startSubject('servers/copydesk.ts', installation, folder)
  const found: Metrics = {}
  for (const [list, path] of Object.entries(lists)) {
    const waits: number[] = []
    for (let i = 0; i < repetitions + 20; i += 1) {
      const begun = performance.now()
      const response = await fetch(`${server.url}${path}`, {
        headers: { authorization: `Bearer ${tokens[i % tokens.length]}` },
      })
      const { data } = (await response.json()) as { data: unknown[] }
      expectEqual(`rows of ${path}`, data.length, 50)
      if (i >= 20) waits.push(performance.now() - begun)
    }
    found[`ads.${name}.${list}.p95`] = { value: percentile(waits, 0.95), unit: 'ms', aim: '25 ms' }
  }
  return found
}
