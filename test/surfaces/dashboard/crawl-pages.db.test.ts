import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestApp, type TestApp } from '../../kit/app.ts'
import { send, startSite } from '../../platform/crawl/site.ts'
import { refusal } from '../refusal.ts'
import { type CrawlingTeam, crawled, createCrawlingTeam, textPage } from './crawling.ts'

let app: TestApp

beforeAll(async () => {
  app = await createTestApp({ allowHosts: ['127.0.0.1'] })
})

afterAll(() => app[Symbol.asyncDispose]())

const path = 'GET /knowledge-base/datasets/:datasetId/crawl/:crawlJobId/pages'
type Query = Parameters<typeof pagesOf>[2]

const pagesOf = (
  { member, datasetId }: CrawlingTeam,
  crawlJobId: string,
  query: { limit?: number; cursor?: string; order?: 'asc' | 'desc'; 'filter.status'?: string } = {},
) => member.call('dashboard', path, { params: { datasetId, crawlJobId }, query })

/** The pages of a crawl by their path: `skipped: reason`. */
async function outcomes(team: CrawlingTeam, crawlJobId: string, query: Query = {}) {
  const { data } = await pagesOf(team, crawlJobId, { limit: 100, ...query })
  return Object.fromEntries(
    data.map(({ url, status, reason }) => [
      new URL(url).pathname,
      reason === null ? status : `${status}: ${reason}`,
    ]),
  )
}

describe('dashboard.knowledge_base.crawl_pages', () => {
  it('says of each page what came of it, and why it was not indexed', async () => {
    const team = await createCrawlingTeam(app)
    const routes = {
      '/': textPage('Hearth & Oat', 'A bakery.', ['/oats', '/gone', '/prices.pdf', '/private/', '/empty']),
      '/oats': textPage('Morning Oats', 'Rolled oats with hazelnuts.'),
      '/private/': textPage('Recipes', 'Secret.'),
      '/empty': '<!doctype html><html><head><title>Empty</title></head><body></body></html>',
      '/robots.txt': send(200, { 'content-type': 'text/plain' }, 'User-agent: *\nDisallow: /private/'),
    }
    await using site = await startSite(routes)
    const { crawlJobId } = await crawled(app, team, site)
    expect(await outcomes(team, crawlJobId)).toEqual({
      '/': 'indexed',
      '/oats': 'indexed',
      '/gone': 'failed: The page does not exist any more (404).',
      '/prices.pdf': 'skipped: This is a file (PDF) and no web page: upload it instead.',
      '/private/': 'skipped: The site does not allow crawlers to read this page (robots.txt).',
      '/empty': expect.stringMatching(/^failed: .*\.$/),
    })
    expect(
      Object.keys(await outcomes(team, crawlJobId, { 'filter.status': 'skipped,failed' })).sort(),
    ).toEqual(['/empty', '/gone', '/prices.pdf', '/private/'])
    const { data, counts } = await pagesOf(team, crawlJobId, { 'filter.status': 'indexed' })
    expect(counts).toEqual({ indexed: 2, unchanged: 0, skipped: 2, failed: 2 })
    expect(data).toMatchObject([
      { depth: 1, fileId: expect.any(String) },
      { depth: 0, fileId: expect.any(String) },
    ])
    const again = await crawled(app, team, site)
    expect(await outcomes(team, again.crawlJobId, { 'filter.status': 'unchanged' })).toEqual({
      '/': 'unchanged',
      '/oats': 'unchanged',
    })
    // Each page is listed by the crawl that has looked at it last.
    expect(await pagesOf(team, crawlJobId)).toMatchObject({
      data: [],
      counts: { indexed: 0, unchanged: 0, skipped: 0, failed: 0 },
    })
  })

  it('says of a page that a crawl does not come across how it leaves search', async () => {
    const team = await createCrawlingTeam(app)
    await using site = await startSite({
      '/': textPage('Hearth & Oat', 'A bakery.', ['/shop/', '/blog/']),
      '/shop/': textPage('Shop', 'Bread.'),
      '/blog/': textPage('Blog', 'News.'),
    })
    await crawled(app, team, site)
    const below = { startUrl: new URL('/shop/', site.url).href, urlPathFilter: '/shop/' }
    const second = await crawled(app, team, site, below)
    expect(await outcomes(team, second.crawlJobId, { 'filter.status': 'skipped' })).toMatchObject({
      '/blog/': expect.stringContaining('leaves search if the next one'),
    })
    const third = await crawled(app, team, site, below)
    expect(await outcomes(team, third.crawlJobId, { 'filter.status': 'skipped' })).toMatchObject({
      '/blog/': expect.stringContaining('has left search'),
    })
  })

  it('gives them page by page, in both orders', async () => {
    const team = await createCrawlingTeam(app)
    await using site = await startSite({
      '/': textPage('Hearth & Oat', 'A bakery.', ['/a', '/b']),
      '/a': textPage('A', 'Apples.'),
      '/b': textPage('B', 'Bread.'),
    })
    const { crawlJobId } = await crawled(app, team, site)
    const first = await pagesOf(team, crawlJobId, { limit: 2, order: 'asc' })
    expect(first.pagination).toEqual({ hasMore: true, nextCursor: first.data[1]?.id })
    const cursor = first.pagination.nextCursor ?? ''
    const rest = await pagesOf(team, crawlJobId, { limit: 2, order: 'asc', cursor })
    expect(rest.pagination).toEqual({ hasMore: false, nextCursor: null })
    const all = await pagesOf(team, crawlJobId)
    expect([...first.data, ...rest.data].toReversed()).toEqual(all.data)
  })

  it('is that of the tenant alone, also for reviewers, and refuses what it does not know', async () => {
    const [team, other] = [await createCrawlingTeam(app), await createCrawlingTeam(app)]
    await using site = await startSite({ '/': textPage('Hearth & Oat', 'A bakery.') })
    const { crawlJobId } = await crawled(app, team, site)
    const missing = { status: 404, code: 'NOT_FOUND' }
    expect(await refusal(pagesOf(other, crawlJobId))).toMatchObject(missing)
    expect(await refusal(pagesOf({ ...other, datasetId: team.datasetId }, crawlJobId))).toMatchObject(missing)
    expect(await refusal(pagesOf(team, team.datasetId))).toMatchObject(missing)
    const unknown = { status: 400, field: 'filter.status' }
    expect(await refusal(pagesOf(team, crawlJobId, { 'filter.status': 'lost' }))).toMatchObject(unknown)
    const params = { datasetId: team.datasetId, crawlJobId }
    const read = await team.reviewer.call(
      'tenant',
      'GET /knowledge/datasets/:datasetId/crawl/:crawlJobId/pages',
      { params, query: {} },
    )
    expect(read).toEqual(await pagesOf(team, crawlJobId))
  })
})
