import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestApp, type TestApp } from '../../kit/app.ts'
import { startSite } from '../../platform/crawl/site.ts'
import { refusal } from '../refusal.ts'
import { type CrawlingTeam, crawled, createCrawlingTeam, startCrawl, textPage } from './crawling.ts'

let app: TestApp

beforeAll(async () => {
  app = await createTestApp({ allowHosts: ['127.0.0.1'] })
})

afterAll(() => app[Symbol.asyncDispose]())

const missing = { status: 404, code: 'NOT_FOUND', field: undefined }

const search = async ({ member, datasetId }: CrawlingTeam, query: string) => {
  const body = { query, datasetIds: [datasetId] }
  const { results } = await member.call('dashboard', 'POST /knowledge-base/search', { body })
  return results.map(({ fileName, metadata }) => [fileName, metadata.url])
}

describe('dashboard.knowledge_base.crawl', () => {
  it('reads a website into search, with the addresses of its pages', async () => {
    const team = await createCrawlingTeam(app)
    await using site = await startSite({
      '/': textPage('Hearth & Oat', 'A bakery in Bristol.', ['/oats', '/gone']),
      '/oats': textPage('Morning Oats', 'Rolled oats with hazelnuts.'),
    })
    expect(await crawled(app, team, site)).toMatchObject({
      status: 'completed',
      pagesCrawled: 3,
      pagesIndexed: 2,
      pagesFailed: 1,
      errorMessage: null,
    })
    expect(await search(team, 'hazelnuts')).toEqual([['Morning Oats', new URL('/oats', site.url).href]])
  })

  it('takes up what has changed, and lets a page go that two crawls did not find', async () => {
    const team = await createCrawlingTeam(app)
    const routes: Record<string, string> = {
      '/': textPage('Hearth & Oat', 'A bakery in Bristol.', ['/oats', '/rye']),
      '/oats': textPage('Morning Oats', 'Rolled oats with hazelnuts.'),
      '/rye': textPage('Rye & Seed', 'Baked overnight.'),
    }
    await using site = await startSite(routes)
    await crawled(app, team, site)
    routes['/oats'] = textPage('Morning Oats', 'Rolled oats with almonds.')
    delete routes['/rye']
    await crawled(app, team, site)
    expect(await search(team, 'hazelnuts')).toEqual([])
    expect(await search(team, 'almonds')).toHaveLength(1)
    expect(await search(team, 'overnight')).toHaveLength(1)
    await crawled(app, team, site)
    expect(await search(team, 'overnight')).toEqual([])
  })

  it('lets a page go whose place the page for missing addresses has taken twice', async () => {
    const team = await createCrawlingTeam(app)
    const routes: Record<string, string> = {
      '/': textPage('Hearth & Oat', 'A bakery in Bristol.', ['/oats', '/rye']),
      '/oats': textPage('Morning Oats', 'Rolled oats with hazelnuts.'),
      '/rye': textPage('Rye & Seed', 'Baked overnight.'),
    }
    await using site = await startSite((path) =>
      path === '/robots.txt' ? undefined : (routes[path] ?? textPage('Hearth & Oat', 'Nothing is here.')),
    )
    expect(await crawled(app, team, site)).toMatchObject({ pagesIndexed: 3, pagesFailed: 0 })
    delete routes['/rye']
    const { crawlJobId } = await crawled(app, team, site)
    expect(await search(team, 'overnight')).toHaveLength(1)
    expect(await search(team, 'nothing')).toEqual([])
    const { data } = await team.member.call(
      'dashboard',
      'GET /knowledge-base/datasets/:datasetId/crawl/:crawlJobId/pages',
      { params: { datasetId: team.datasetId, crawlJobId }, query: { 'filter.status': 'failed' } },
    )
    expect(data).toMatchObject([
      { url: new URL('/rye', site.url).href, reason: expect.stringContaining('addresses that do not exist') },
    ])
    await crawled(app, team, site)
    expect(await search(team, 'overnight')).toEqual([])
  })

  it('ends with the reason when nothing can be read', async () => {
    const team = await createCrawlingTeam(app)
    await using site = await startSite({})
    const end = await crawled(app, team, site)
    expect(end).toMatchObject({ status: 'failed', pagesIndexed: 0 })
    expect(end.errorMessage).toMatch(/could be read/)
  })

  it('refuses a second crawl while one waits, and a dataset of another tenant', async () => {
    const team = await createCrawlingTeam(app)
    const site = { url: 'http://127.0.0.1:9/' }
    const scheduleFor = new Date(Date.now() + 3_600_000).toISOString()
    expect(await startCrawl(team, site, { scheduleFor })).toMatchObject({ status: 'queued' })
    expect(await refusal(startCrawl(team, site))).toMatchObject({ status: 409, code: 'CONFLICT' })
    const other = await createCrawlingTeam(app)
    expect(await refusal(startCrawl({ ...other, datasetId: team.datasetId }, site))).toEqual(missing)
    expect(await refusal(startCrawl(other, { url: 'ftp://site.example/' }))).toMatchObject({
      status: 400,
      field: 'startUrl',
    })
  })
})

describe('dashboard.knowledge_base.crawl_settings', () => {
  it('shows nothing before the first crawl, and its plan and end afterwards', async () => {
    const team = await createCrawlingTeam(app)
    const { datasetId } = team
    const settings = () =>
      team.member.call('dashboard', 'GET /knowledge-base/datasets/:datasetId/crawl', {
        params: { datasetId },
      })
    expect(await settings()).toEqual({
      datasetId,
      startUrl: null,
      maxPages: null,
      maxDepth: null,
      urlPathFilter: null,
      schedule: null,
      lastCrawl: null,
    })
    await using site = await startSite({ '/': textPage('Hearth & Oat', 'A bakery.') })
    const { crawlJobId } = await crawled(app, team, site)
    expect(await settings()).toMatchObject({
      startUrl: site.url,
      maxPages: 200,
      maxDepth: 3,
      schedule: 'manual',
      lastCrawl: { id: crawlJobId, status: 'completed', pagesCrawled: 1, pagesIndexed: 1 },
    })
  })
})

describe('dashboard.knowledge_base.crawl_status', () => {
  it('does not find a crawl of another dataset', async () => {
    const team = await createCrawlingTeam(app)
    const scheduleFor = new Date(Date.now() + 3_600_000).toISOString()
    const { crawlJobId } = await startCrawl(team, { url: 'http://127.0.0.1:9/' }, { scheduleFor })
    const other = await createCrawlingTeam(app)
    const path = 'GET /knowledge-base/datasets/:datasetId/crawl/:crawlJobId/status'
    const params = { datasetId: other.datasetId, crawlJobId }
    expect(await refusal(other.member.call('dashboard', path, { params }))).toEqual(missing)
  })
})
