import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { crawlSite, page, type Route, redirect, send, startSite } from './site.ts'

const robots =
  (...sitemaps: string[]): Route =>
  (response) =>
    response.end(sitemaps.map((path) => `Sitemap: ${path}`).join('\n'))
const index = (paths: readonly string[]) =>
  `<sitemapindex>${paths.map((path) => `<sitemap><loc>${path}</loc></sitemap>`).join('')}</sitemapindex>`
const urlset = (...paths: string[]) =>
  `<urlset>${paths.map((path) => `<url><loc>${path}</loc></url>`).join('')}</urlset>`

describe('the sitemaps of a crawl', () => {
  it('that cannot be used are named with the reason, and the others are read', async () => {
    const large = 11 * 1_024 * 1_024
    await using site = await startSite({
      '/robots.txt': robots(
        '/none',
        '/bomb',
        '/large',
        '/torn',
        '/closed',
        '/entities',
        '/moved',
        '/own',
        'ftp://a/b',
      ),
      '/': page('Home'),
      '/bomb': send(200, {}, gzipSync(Buffer.alloc(large))),
      '/large': send(200, {}, Buffer.alloc(large, ' ')),
      '/torn': send(200, {}, gzipSync(urlset('/a')).subarray(0, -20)),
      '/closed': send(403, {}, urlset('/a')),
      '/entities': send(200, {}, `<!DOCTYPE urlset [<!ENTITY a "/a">]>${urlset('&a;')}`),
      '/moved': redirect('/maps/moved'),
      '/maps/moved': send(200, {}, urlset('../found')),
      '/own': send(200, {}, index(['/own', '/moved'])),
      '/found': page('Found'),
    })
    const { summary, outcomes } = await crawlSite(site)
    const problems = summary.sitemaps.map(({ url, pages, problem }) => [
      url.replace(site.url, ''),
      problem ?? pages,
    ])
    expect(problems).toEqual([
      ['/none', 'It does not exist.'],
      ['/bomb', 'It is larger than 10 MB.'],
      ['/large', 'It is larger than 10 MB.'],
      ['/torn', 'It is not a sitemap.'],
      ['/closed', 'The site does not let us read this (403).'],
      ['/entities', 'It declares entities of its own.'],
      ['/moved', 1],
      ['/own', 0],
      ['ftp://a/b', 'This address cannot be asked for.'],
    ])
    expect(outcomes).toEqual({ '/': 'fetched', '/found': 'fetched' })
  })

  it('are fifty files at most', async () => {
    const files = Array.from({ length: 70 }, (_, file) => `/map-${file}.xml`)
    await using site = await startSite((path) => {
      if (path === '/') return page('Home')
      return path === '/sitemap.xml' ? send(200, {}, index(files)) : send(200, {}, urlset('/'))
    })
    const { summary } = await crawlSite(site)
    expect(summary.sitemaps).toHaveLength(50)
    expect(site.asked().filter((path) => path.endsWith('.xml'))).toHaveLength(50)
  })

  it('are looked for at the usual place, unless robots.txt forbids it, and need not be there', async () => {
    await using none = await startSite({ '/': page('Home') })
    expect((await crawlSite(none)).summary.sitemaps).toEqual([])
    expect(none.count('/sitemap.xml')).toBe(1)
    await using closed = await startSite({
      '/robots.txt': 'User-agent: *\nDisallow: /*.xml$',
      '/': page('Home'),
    })
    expect((await crawlSite(closed)).summary.sitemaps).toEqual([])
    expect(closed.count('/sitemap.xml')).toBe(0)
  })

  it('may lie at another host, and list pages of the site only', async () => {
    await using maps = await startSite((path) =>
      path === '/map.txt' ? send(200, {}, `${site.url}/a\nhttps://elsewhere.example/b`) : undefined,
    )
    await using site = await startSite({
      '/robots.txt': robots(`${maps.url}/map.txt`),
      '/': page('Home'),
      '/a': page('A'),
    })
    expect((await crawlSite(site)).outcomes).toEqual({ '/': 'fetched', '/a': 'fetched' })
  })
})
