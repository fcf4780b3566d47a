import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type AdsDesk, openAdsDesk } from '../kit/ads.ts'
import { createGoogleWebsite } from '../kit/google-website-server.ts'
import { createLinkedinAdsServer, type LinkedinAdsServer } from '../kit/linkedin-ads-server.ts'
import { createMetaAdsServer } from '../kit/meta-ads-server.ts'
import { openPlatformDesk, type PlatformDesk } from '../kit/platform-desk.ts'
import { fetchVendors, vendor } from '../kit/vendors.ts'
import { googleAdsSchema } from './google-ads-schema.ts'
import { changeEverything, refusedAds } from './google-ads-work.ts'
import type { Cursor, GoogleModule, LinkedinModule, MetaModule } from './modules.ts'

beforeAll(fetchVendors, 300_000)

describe('the server of Meta Ads', () => {
  it('answers Meta’s own client', async () => {
    await using meta = await createMetaAdsServer()
    meta.accepts = (token) => token === 'token-1'
    meta.accounts.push({ id: 'act_1', currency: 'EUR', timezone: 'UTC', status: 1 })
    for (const id of ['11', '12', '13'])
      meta.campaigns.set(id, { id, account: 'act_1', name: `Campaign ${id}`, status: 'ACTIVE', daily: 2_000 })
    meta.days.push({
      campaign: '11',
      date: '2026-04-01',
      spend: '10.10',
      impressions: 1_000,
      clicks: 40,
      actions: { lead: 2 },
    })
    const sdk = vendor<MetaModule>('facebook-nodejs-business-sdk')
    Object.defineProperty(sdk.FacebookAdsApi, 'GRAPH', { get: () => meta.url })
    sdk.FacebookAdsApi.init('token-1')

    const accounts = await allOf(new sdk.User('me').getAdAccounts(['id', 'currency'], {}))
    expect(accounts).toEqual([{ id: 'act_1', currency: 'EUR' }])
    const campaigns = await allOf(new sdk.AdAccount('act_1').getCampaigns(['name', 'daily_budget'], {}))
    expect(campaigns.map(({ daily_budget: daily }) => daily)).toEqual(['2000', '2000', '2000'])
    const campaign = new sdk.Campaign('11')
    const span = { since: '2026-04-01', until: '2026-04-02' }
    const days = campaign.getInsights(['spend', 'inline_link_clicks', 'actions'], {
      time_increment: 1,
      time_range: span,
    })
    expect(await allOf(days)).toEqual([
      { spend: '10.10', inline_link_clicks: '40', actions: [{ action_type: 'lead', value: '2' }] },
    ])

    await campaign.update([], { daily_budget: 2_500, execution_options: ['validate_only'] })
    expect(meta.campaigns.get('11')?.daily).toBe(2_000)
    await campaign.update([], { daily_budget: 2_500, status: 'PAUSED' })
    expect(meta.campaigns.get('11')).toMatchObject({ daily: 2_500, status: 'PAUSED' })
    const low = new sdk.Campaign('12').update([], { daily_budget: 1 })
    await expect(low).rejects.toMatchObject({ status: 400, name: 'FacebookRequestError' })
    sdk.FacebookAdsApi.init('token-2')
    await expect(allOf(new sdk.User('me').getAdAccounts(['id'], {}))).rejects.toMatchObject({ status: 401 })
  })
})

async function allOf(first: Promise<Cursor>) {
  const cursor = await first
  const rows = cursor.map((row) => row._data)
  while (cursor.hasNext()) {
    await cursor.next()
    rows.push(...cursor.map((row) => row._data))
  }
  return rows
}

describe('the server of LinkedIn’s ads', () => {
  let desk: PlatformDesk<LinkedinAdsServer>

  beforeAll(async () => {
    desk = await openPlatformDesk('professional_ads', createLinkedinAdsServer)
  })
  afterAll(() => desk[Symbol.asyncDispose]())

  it('answers LinkedIn’s own client, which asks as we do', async () => {
    const { there } = desk
    there.accounts.push({ id: 501, currency: 'EUR', status: 'ACTIVE' })
    const dailyBudget = { amount: '20.00', currencyCode: 'EUR' }
    there.campaigns.set('61', { id: 61, account: 501, name: 'Rye', status: 'ACTIVE', dailyBudget })
    there.days.push({
      campaign: 61,
      date: [2026, 4, 1],
      impressions: 5,
      clicks: 1,
      costInLocalCurrency: '1.5',
    })
    await desk.imported('61')
    const ours = there.searches.splice(0)

    const { RestliClient } = vendor<LinkedinModule>('linkedin-api-client')
    const constants = vendor<{ VERSIONED_BASE_URL: string }>(
      'linkedin-api-client/dist/lib/utils/constants.js',
    )
    constants.VERSIONED_BASE_URL = `${there.url}/rest`
    there.accepts = (token) => token === 'token-1'
    const client = new RestliClient()
    const common = { accessToken: 'token-1', versionString: '202610' }
    const search = { finderName: 'search', queryParams: { pageSize: 100 }, ...common }
    await client.finder({ resourcePath: '/adAccounts', ...search })
    const found = await client.finder({
      resourcePath: '/adAccounts/{id}/adCampaigns',
      pathKeys: { id: 501 },
      ...search,
    })
    expect(found.data.elements).toMatchObject([{ id: 61, dailyBudget }])
    const days = await client.finder({
      resourcePath: '/adAnalytics',
      finderName: 'analytics',
      queryParams: {
        pivot: 'CAMPAIGN',
        timeGranularity: 'DAILY',
        // The span of the first fetch.
        dateRange: spanIn(ours.at(-1) ?? ''),
        campaigns: ['urn:li:sponsoredCampaign:61'],
        fields: 'dateRange,impressions,clicks,costInLocalCurrency,externalWebsiteConversions,oneClickLeads',
      },
      ...common,
    })
    expect(days.data.elements).toMatchObject([{ impressions: 5, costInLocalCurrency: '1.5' }])
    expect(ours.map(decodeURIComponent)).toEqual(there.searches.map(decodeURIComponent))

    await client.partialUpdate({
      resourcePath: '/adAccounts/{account}/adCampaigns/{id}',
      pathKeys: { account: 501, id: 61 },
      patchSetObject: { status: 'PAUSED' },
      ...common,
    })
    expect(there.campaigns.get('61')?.status).toBe('PAUSED')
  })
})

/** The two dates of a request. */
function spanIn(text: string) {
  const dates = [...text.matchAll(/\(year:(\d+),month:(\d+),day:(\d+)\)/g)].map(([, year, month, day]) => ({
    year: Number(year),
    month: Number(month),
    day: Number(day),
  }))
  return { start: dates[0], end: dates[1] }
}

describe('the server of Google Analytics and Search Console', () => {
  it('answers Google’s own clients', async () => {
    await using google = await createGoogleWebsite()
    google.accepts = (token) => token === 'token-1'
    google.visits.push({ day: '2026-04-01', host: 'oats.example', path: '/rye', views: 7 })
    google.hits.push({
      day: '2026-04-01',
      url: 'https://oats.example/rye',
      impressions: 10,
      clicks: 2,
      place: 3,
    })
    const options = { rootUrl: `${google.url}/`, headers: { authorization: 'Bearer token-1' } }
    const { analyticsdata } = vendor<GoogleModule>('@googleapis/analyticsdata')
    const report = await analyticsdata({ version: 'v1beta', ...options }).properties.runReport({
      property: google.property,
      requestBody: {
        dateRanges: [{ startDate: '2026-04-01', endDate: '2026-04-02' }],
        dimensions: [{ name: 'date' }, { name: 'pagePath' }],
        metrics: [{ name: 'screenPageViews' }],
        limit: '100',
      },
    })
    expect(report.data.rows).toEqual([
      { dimensionValues: [{ value: '20260401' }, { value: '/rye' }], metricValues: [{ value: '7' }] },
    ])
    const { searchconsole } = vendor<GoogleModule>('@googleapis/searchconsole')
    const api = searchconsole({ version: 'v1', ...options })
    expect((await api.sites.list()).data.siteEntry?.map(({ siteUrl }) => siteUrl)).toContain(google.site)
    const hits = await api.searchanalytics.query({
      siteUrl: google.site,
      requestBody: {
        startDate: '2026-04-01',
        endDate: '2026-04-02',
        dimensions: ['date'],
        dataState: 'final',
        rowLimit: 100,
      },
    })
    expect(hits.data.rows).toEqual([
      { keys: ['2026-04-01'], clicks: 2, impressions: 10, ctr: 0.2, position: 3 },
    ])
    const refused = searchconsole({ version: 'v1', rootUrl: options.rootUrl }).sites.list()
    await expect(refused).rejects.toMatchObject({ status: 401 })
  })
})

describe('what is said to and by Google Ads', () => {
  let desk: AdsDesk

  beforeAll(async () => {
    desk = await openAdsDesk()
    await changeEverything(desk)
  })
  afterAll(() => desk[Symbol.asyncDispose]())

  it('is of Google’s own schema, to the last field', () => {
    const schema = googleAdsSchema()
    const { requests } = desk.google
    const changes = requests.filter(({ path }) => path.endsWith('googleAds:mutate'))
    expect(changes.length).toBeGreaterThanOrEqual(6)
    for (const { body } of changes)
      expect(schema.faults('services.MutateGoogleAdsRequest', body), JSON.stringify(body)).toEqual([])
    const kinds = new Set(
      changes.flatMap(({ body }) =>
        (body['mutateOperations'] as object[]).flatMap((operation) =>
          Object.entries(operation).map(([name, change]) => `${name} ${Object.keys(change as object)[0]}`),
        ),
      ),
    )
    expect([...kinds].sort()).toEqual([
      'adGroupAdOperation create',
      'adGroupAdOperation remove',
      'adGroupCriterionOperation update',
      'campaignBudgetOperation update',
      'campaignCriterionOperation create',
      'campaignCriterionOperation remove',
      'campaignOperation update',
    ])
    // A field that is no one's would be dropped without a word.
    expect(
      schema.faults('services.MutateGoogleAdsRequest', {
        mutateOperations: [{ campaignBudgetOperation: { updat: {} } }],
      }),
    ).not.toEqual([])
  })

  it('names only fields that there are in queries', () => {
    const schema = googleAdsSchema()
    const queries = desk.google.requests.flatMap(({ body }) => (body['query'] ? [String(body['query'])] : []))
    const names = new Set(
      queries.flatMap((query) => query.match(/\b[a-z_]+(?:\.[a-z_][a-z_0-9]*)+\b/g) ?? []),
    )
    expect(names.size).toBeGreaterThan(30)
    expect([...names].filter((name) => !schema.hasField('services.GoogleAdsRow', name))).toEqual([])
    expect(schema.hasField('services.GoogleAdsRow', 'campaign.start_day')).toBe(false)
  })
})

describe('the server of Google Ads', () => {
  it('refuses ads by names and in a form that Google has', () => {
    const schema = googleAdsSchema()
    const refusals = refusedAds()
    const codes = refusals.map(({ family, code }) => `${family}.${code}`)
    expect(new Set(codes).size).toBe(9)
    for (const { family, code, message, more } of refusals) {
      const { path = [], details } = more
      const error = {
        errorCode: { [family]: code },
        message,
        location: { fieldPathElements: [{ fieldName: 'mutate_operations', index: 1 }, ...path] },
        ...(details && { details }),
      }
      expect(schema.faults('errors.GoogleAdsError', error), `${family}.${code}`).toEqual([])
    }
  })
})
