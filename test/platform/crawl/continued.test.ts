import { describe, expect, it } from 'vitest'
import type { CrawledPage } from '../../../packages/core/src/platform/crawl/crawl-options.ts'
import type { KnownPage } from '../../../packages/core/src/platform/crawl/page.ts'
import { crawlSite, page, type Route, startSite } from './site.ts'

const paths = Array.from({ length: 40 }, (_, index) => `/${String.fromCharCode(97 + (index % 26))}/p${index}`)

/** Pages in a chain, each with an ETag and a date, that count how many bodies were sent. */
function chain(changes: Map<string, number>) {
  const sent: string[] = []
  const route =
    (path: string, links: readonly string[]): Route =>
    (response, { headers }) => {
      const etag = `"${path}-${changes.get(path) ?? 0}"`
      if (headers['if-none-match'] === etag) return void response.writeHead(304, { etag }).end()
      sent.push(path)
      response.writeHead(200, { 'content-type': 'text/html', etag })
      response.end(page(`${path} ${changes.get(path) ?? 0}`, links))
    }
  const all = ['/', ...paths]
  const routes = Object.fromEntries(
    all.map((path, index) => [path, route(path, all.slice(index + 1, index + 5))]),
  )
  return { routes, sent }
}

const keep = (pages: readonly CrawledPage[]) =>
  new Map<string, KnownPage & { depth: number }>(
    pages.flatMap((one) => (one.outcome === 'fetched' ? [[one.url, one]] : [])),
  )
const later = (kept: ReadonlyMap<string, KnownPage & { depth: number }>) => ({
  known: async (url: string) => kept.get(url),
  earlier: [...kept].map(([url, { depth }]) => ({ url, depth })),
})

describe('a crawl of a site that is known', () => {
  it('reads no body of a page that has not changed, and only that of one that has', async () => {
    const changes = new Map<string, number>()
    const { routes, sent } = chain(changes)
    await using site = await startSite(routes)
    const first = await crawlSite(site)
    expect(sent).toHaveLength(41)
    const kept = keep(first.pages)

    sent.length = 0
    const again = await crawlSite(site, later(kept))
    expect(again.summary.state.counts).toEqual({ fetched: 0, unchanged: 41, skipped: 0, failed: 0 })
    expect([sent, again.summary.state.bytes]).toEqual([[], 0])

    changes.set('/b/p1', 1)
    const third = await crawlSite(site, later(kept))
    expect(third.summary.state.counts).toMatchObject({ fetched: 1, unchanged: 40 })
    expect(sent).toEqual(['/b/p1'])
  })

  it('tells of a page that is gone, or that now forbids to be kept, though no page has changed', async () => {
    const { routes } = chain(new Map())
    await using site = await startSite((path) => routes[path])
    const kept = keep((await crawlSite(site)).pages)
    delete routes['/c/p2']
    routes['/d/p3'] = (response) => void response.writeHead(304, { 'x-robots-tag': 'noindex' }).end()
    const { outcomes } = await crawlSite(site, later(kept))
    expect(outcomes).toMatchObject({
      '/c/p2': 'failed: The page does not exist any more (404).',
      '/d/p3': 'skipped: The page asks not to be indexed (noindex).',
    })
    expect(Object.values(outcomes).filter((outcome) => outcome === 'unchanged')).toHaveLength(39)
  })

  it('asks by date where there is no strong ETag, and compares the bytes where a server ignores that', async () => {
    const date = 'Mon, 06 May 2024 08:00:00 GMT'
    await using site = await startSite({
      '/': page('Home', ['/dated', '/weak', '/strong']),
      '/dated': (response, { headers }) => {
        const fresh = headers['if-modified-since'] === date
        response.writeHead(fresh ? 304 : 200, { 'content-type': 'text/html', 'last-modified': date })
        response.end(fresh ? '' : page('Dated'))
      },
      '/weak': (response) =>
        void response.writeHead(200, { 'content-type': 'text/html', etag: 'W/"1"' }).end(page('Weak')),
      '/strong': (response) =>
        void response.writeHead(200, { 'content-type': 'text/html', etag: '"1"' }).end(page('Strong')),
    })
    const kept = keep((await crawlSite(site)).pages)
    expect(kept.get(`${site.url}/weak`)?.etag).toBeUndefined()
    site.heard.length = 0
    const { outcomes } = await crawlSite(site, later(kept))
    expect(outcomes).toEqual({
      '/': 'unchanged',
      '/dated': 'unchanged',
      '/weak': 'unchanged',
      '/strong': 'unchanged',
    })
    const heard = (path: string) => site.heard.find(({ url }) => url === path)?.headers
    expect(heard('/dated')).toMatchObject({ 'if-modified-since': date })
    expect(heard('/weak')).not.toHaveProperty('if-none-match')
    expect(heard('/strong')).toMatchObject({ 'if-none-match': '"1"' })
  })

  it('says of a page how it was found', async () => {
    await using site = await startSite({
      '/': page('Home', ['/linked']),
      '/linked': page('Linked'),
      '/listed': page('Listed'),
      '/orphan': page('Orphan'),
      '/sitemap.xml': (response, { headers }) =>
        response.end(['/listed', '/linked'].map((path) => `http://${headers.host}${path}`).join('\n')),
    })
    const earlier = ['/listed', '/linked', '/orphan'].map((path) => ({ url: site.url + path, depth: 1 }))
    const { pages } = await crawlSite(site, {
      earlier: [...earlier, { url: 'https://elsewhere.example/', depth: 1 }],
    })
    expect(Object.fromEntries(pages.map(({ url, source }) => [url.slice(site.url.length), source]))).toEqual({
      '/': 'start',
      '/linked': 'sitemap',
      '/listed': 'sitemap',
      '/orphan': 'earlier',
    })
  })
})

describe('a crawl that is stopped', () => {
  it('is cut off at once, and goes on from its state without asking twice for what was done', async () => {
    const stop = new AbortController()
    const { routes } = chain(new Map())
    const usual = routes['/u/p20'] as Exclude<Route, string>
    let isHanging = true
    await using site = await startSite({
      ...routes,
      '/u/p20': (response, request) => {
        if (!isHanging) return usual(response, request)
        response.writeHead(200, { 'content-type': 'text/html' }).write('<html>')
        stop.abort()
      },
    })
    const first = await crawlSite(site, { signal: stop.signal })
    expect(first.summary.end).toBe('aborted')
    const done = first.pages.map(({ url }) => url)
    expect(done).not.toContain(`${site.url}/u/p20`)

    isHanging = false
    site.heard.length = 0
    const state = JSON.parse(JSON.stringify(first.summary.state)) as typeof first.summary.state
    const second = await crawlSite(site, { state })
    expect(second.summary.end).toBe('done')
    const all = [...done, ...second.pages.map(({ url }) => url)]
    expect([all.length, new Set(all).size]).toEqual([41, 41])
    expect(second.summary.state.counts).toMatchObject({ fetched: 41 })
    for (const url of done) expect(site.count(url.slice(site.url.length))).toBe(0)
    expect(site.count('/sitemap.xml')).toBe(0)
  })

  it('can be continued from any state that was given out with a page', async () => {
    const { routes } = chain(new Map())
    await using site = await startSite(routes)
    const failure = new Error('killed')
    let seen = 0
    let killed: Awaited<ReturnType<typeof crawlSite>>['state']
    const done: string[] = []
    const dying = crawlSite(site, {
      async onPage({ url }, state) {
        seen += 1
        if (seen > 13) throw failure
        done.push(url)
        killed = JSON.parse(JSON.stringify(state())) as typeof killed
      },
    })
    await expect(dying).rejects.toBe(failure)
    site.heard.length = 0
    const { pages, summary } = await crawlSite(site, { state: killed })
    expect(new Set([...done, ...pages.map(({ url }) => url)]).size).toBe(41)
    expect(pages).toHaveLength(28)
    expect(summary.state.counts.fetched).toBe(41)
    for (const url of done) expect(site.count(url.slice(site.url.length))).toBe(0)
  })

  it('before it has begun asks for nothing, and stops in a wait as well', async () => {
    await using site = await startSite({
      '/': page('Home', ['/busy']),
      '/busy': (response) => void response.writeHead(429, { 'retry-after': '60' }).end(() => stop.abort()),
    })
    const before = await crawlSite(site, { signal: AbortSignal.abort() })
    expect([before.summary.end, before.pages, site.connections]).toEqual(['aborted', [], 0])
    const stop = new AbortController()
    const { summary, outcomes } = await crawlSite(site, { signal: stop.signal })
    expect([summary.end, outcomes]).toEqual(['aborted', { '/': 'fetched' }])
  })
})
