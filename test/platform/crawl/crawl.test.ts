import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { version } from '../../../packages/core/src/platform/version.ts'
import { crawlSite, page, type Route, send, startSite } from './site.ts'

const urlset = (origin: string, paths: readonly string[]) =>
  `<?xml version="1.0"?><urlset>${paths.map((path) => `<url><loc>${origin}${path}</loc></url>`).join('')}</urlset>`

describe('crawl', () => {
  it('reads a site of 500 pages from its links and its index of sitemaps, two requests at a time', async () => {
    const linked = Array.from(
      { length: 250 },
      (_, index) => `/topic-${String.fromCharCode(97 + (index % 26))}/${index}`,
    )
    const listed = Array.from({ length: 249 }, (_, index) => `/only/listed-${index}`)
    let underWay = 0
    let most = 0
    const answer =
      (body: string): Route =>
      (response) => {
        underWay += 1
        most = Math.max(most, underWay)
        setImmediate(() => {
          underWay -= 1
          response.writeHead(200, { 'content-type': 'text/html' }).end(body)
        })
      }
    const routes: Record<string, Route> = {
      '/robots.txt': (response, { headers }) => {
        const origin = `http://${headers.host}`
        response.end(
          `User-agent: *\nDisallow: /private\nSitemap: ${origin}/index.xml\nUser-agent: evil\nDisallow: /`,
        )
      },
      '/index.xml': (response, { headers }) => {
        const files = ['/one.xml', '/two.xml.gz'].map(
          (file) => `<sitemap><loc>http://${headers.host}${file}</loc></sitemap>`,
        )
        response.end(`<sitemapindex>${files.join('')}</sitemapindex>`)
      },
      '/one.xml': (response, { headers }) =>
        response.end(urlset(`http://${headers.host}`, listed.slice(0, 100))),
      '/two.xml.gz': (response, { headers }) =>
        // Packed, and not said to be.
        response.end(gzipSync(urlset(`http://${headers.host}`, [...listed.slice(100), '/private/listed']))),
      '/': answer(
        page('Home', [
          ...linked.slice(0, 10),
          '/private/area',
          'https://elsewhere.example/x',
          'mailto:a@b.c',
        ]),
      ),
    }
    linked.forEach((path, index) => {
      // Each page links to a few further on, to the start, and to itself.
      routes[path] = answer(
        page(`Page ${index}`, [...linked.slice(index + 1, index + 40), '/', '#top', path]),
      )
    })
    for (const path of listed) routes[path] = answer(page(path))
    await using site = await startSite(routes)
    const { summary, pages, outcomes } = await crawlSite(site, {
      maxPages: 600,
      contactUrl: 'https://desk.example/about',
    })

    expect(summary).toMatchObject({
      end: 'done',
      origin: site.url,
      leftOut: [],
      sitemaps: [
        { url: `${site.url}/index.xml`, pages: 0, problem: undefined },
        { url: `${site.url}/one.xml`, pages: 100, problem: undefined },
        { url: `${site.url}/two.xml.gz`, pages: 150, problem: undefined },
      ],
    })
    expect(summary.state.counts).toEqual({ fetched: 500, unchanged: 0, skipped: 2, failed: 0 })
    expect(new Set(pages.map(({ url }) => url)).size).toBe(502)
    const notAllowed = 'skipped: The site does not allow crawlers to read this page (robots.txt).'
    expect([outcomes['/private/area'], outcomes['/private/listed']]).toEqual([notAllowed, notAllowed])
    // Everything is asked for once, and nothing that is forbidden.
    expect(new Set(site.asked()).size).toBe(site.heard.length)
    // 500 pages, robots.txt, three sitemaps, and an address that cannot exist.
    expect(site.heard).toHaveLength(505)
    expect(site.asked().filter((path) => path.startsWith('/private'))).toEqual([])
    expect(most).toBe(2)
    for (const { headers } of site.heard)
      expect(headers['user-agent']).toBe(`Copydesk/${version} (+https://desk.example/about)`)
  })

  it('hands out what a page is, and goes on from the nearest pages to the farther ones', async () => {
    const long = `<p>${'Words. '.repeat(20_000)}</p>`
    await using site = await startSite({
      '/': page(' Home  page', ['/a', '/b']),
      '/a': page('A', ['/a/a']),
      '/b': send(
        200,
        {
          'content-type': 'text/html',
          'content-language': 'fr, en',
          etag: '"b1"',
          'last-modified': 'Mon, 06 May 2024 08:00:00 GMT',
        },
        `<title>B</title><a href=/b/b>b</a>${long}`,
      ),
      '/a/a': page('AA', ['/', '/a/a/a']),
      '/b/b': send(
        203,
        { 'content-type': 'application/xhtml+xml', etag: 'W/"weak"' },
        '<html lang="pt-BR"/>',
      ),
    })
    const { pages, outcomes, summary } = await crawlSite(site, { maxDepth: 2 })
    expect(pages.map(({ url, depth, source }) => [url.slice(site.url.length), depth, source])).toEqual(
      expect.arrayContaining([
        ['/', 0, 'start'],
        ['/a', 1, 'link'],
        ['/b', 1, 'link'],
        ['/a/a', 2, 'link'],
        ['/b/b', 2, 'link'],
      ]),
    )
    expect(Object.values(outcomes)).toEqual(Array.from({ length: 5 }, () => 'fetched'))
    const find = (path: string) => pages.find(({ url }) => url === site.url + path)
    expect(find('/')).toMatchObject({ title: 'Home page', language: 'en', status: 200, etag: undefined })
    expect(find('/b')).toMatchObject({
      title: 'B',
      language: 'fr',
      etag: '"b1"',
      lastModified: 'Mon, 06 May 2024 08:00:00 GMT',
      html: `<title>B</title><a href=/b/b>b</a>${long}`,
    })
    expect(find('/b/b')).toMatchObject({ status: 203, language: 'pt-BR', title: undefined, etag: undefined })
    expect(summary.leftOut).toEqual([
      { reason: 'More than 2 links away from the start page.', count: 1, examples: [`${site.url}/a/a/a`] },
    ])
  })

  it('keeps to the path, and says which pages lie beside it', async () => {
    await using site = await startSite({
      '/': page('Home', ['/docs', '/docsets', '/about']),
      '/docs': page('Docs', ['/docs/a', '/pricing', '/docs/photo.jpg']),
      '/docs/a': page('A'),
      '/sitemap.xml': send(200, {}, '/docs/no-address'),
    })
    const { outcomes, summary } = await crawlSite(site, { pathPrefix: '/docs/' })
    expect(outcomes).toEqual({
      '/': 'skipped: The page is not below /docs/.',
      '/docs': 'fetched',
      '/docs/a': 'fetched',
    })
    expect(summary.leftOut).toEqual([
      {
        reason: 'Not below /docs/.',
        count: 3,
        examples: ['/docsets', '/about', '/pricing'].map((path) => site.url + path),
      },
    ])
    expect(summary.sitemaps).toEqual([
      { url: `${site.url}/sitemap.xml`, pages: 0, problem: 'It is not a sitemap.' },
    ])
  })

  it('takes a path for a path, also where it looks like a host', async () => {
    await using site = await startSite({
      '/': page('Home', ['http://elsewhere.example/', '/%C3%A4/b']),
      '/%C3%A4/b': page('B'),
    })
    const host = await crawlSite(site, { pathPrefix: '//elsewhere.example' })
    expect([host.summary.origin, host.pages.length]).toEqual([site.url, 1])
    expect((await crawlSite(site, { pathPrefix: '/ä' })).outcomes['/%C3%A4/b']).toBe('fetched')
  })

  it.each([
    [{ startUrl: 'example.com' }, 'startUrl'],
    [{ startUrl: 'ftp://example.com' }, 'startUrl'],
    [{ startUrl: 'https://user:pass@example.com' }, 'startUrl'],
    [{ maxPages: 0 }, 'maxPages'],
    [{ maxPages: 2_001 }, 'maxPages'],
    [{ maxDepth: 1.5 }, 'maxDepth'],
    [{ maxDepth: 11 }, 'maxDepth'],
    [{ pathPrefix: 'docs' }, 'pathPrefix'],
    [{ pathPrefix: '/docs?x' }, 'pathPrefix'],
  ])('rejects %j by name, and asks for nothing', async (wrong, name) => {
    await using site = await startSite({})
    await expect(crawlSite(site, wrong)).rejects.toThrow(new RegExp(`^${name} `))
    expect(site.heard).toEqual([])
  })

  it('ends with what the caller throws, and leaves nothing running', async () => {
    await using site = await startSite({
      '/': page('Home', ['/a', '/b', '/c']),
      '/a': page('A'),
      '/b': () => undefined,
    })
    const failure = new Error('the disk is full')
    const onPage = async ({ url }: { url: string }) => {
      if (url.endsWith('/a')) throw failure
    }
    await expect(crawlSite(site, { onPage })).rejects.toBe(failure)
    await expect(crawlSite(site, { known: () => Promise.reject(failure) })).rejects.toBe(failure)
    expect(site.count('/c')).toBe(0)
  })
})
