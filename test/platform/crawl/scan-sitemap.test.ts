import { describe, expect, it } from 'vitest'
import { scanSitemap } from '../../../packages/core/src/platform/crawl/scan-sitemap.ts'

const scope = { origin: 'https://example.com', aliases: [], pathPrefix: '/' }
const scan = (text: string, most = 10, pathPrefix = '/') =>
  scanSitemap({
    bytes: Buffer.from(text),
    url: 'https://example.com/maps/sitemap.xml',
    scope: { ...scope, pathPrefix },
    most,
  })
const entry = (loc: string, lastmod = '') => `<url><loc>${loc}</loc><lastmod>${lastmod}</lastmod></url>`
const urlset = (...entries: string[]) =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="x">${entries.join('')}</urlset>`

describe('scanSitemap', () => {
  it('lists the pages of the site below the path, each once', () => {
    const text = urlset(
      '<url><image:image><image:loc>https://example.com/i</image:loc></image:image><loc>\n https://example.com/a?x=1&amp;y=2#z </loc></url>',
      '<url><loc><![CDATA[https://example.com/docs/b?utm_source=x]]></loc><priority>1</priority></url>',
      entry('https://example.com/a?x=1&amp;y=2'),
      entry('http://example.com/docs/c'),
      entry('https://other.example/d'),
      entry('/docs/e'),
      entry('javascript:1'),
      '<url></url><url/><url><loc/></url>',
    )
    expect(scan(text)).toEqual({
      pages: [
        'https://example.com/a?x=1&y=2',
        'https://example.com/docs/b',
        'https://example.com/docs/c',
        'https://example.com/docs/e',
      ],
      sitemaps: [],
      problem: undefined,
    })
    expect(scan(text, 10, '/docs').pages).toHaveLength(3)
  })

  it('keeps the newest pages where there are more than fit', () => {
    const text = urlset(
      entry('/undated'),
      entry('/old', '2020-01-01'),
      entry('/new', '2024-05-05T10:00:00+02:00'),
      entry('/odd', 'yesterday'),
      entry('/newer', '2024-05-06'),
    )
    expect(scan(text, 2).pages).toEqual(['https://example.com/newer', 'https://example.com/new'])
    expect(scan(text, 5).pages[0]).toBe('https://example.com/undated')
  })

  it('lists the sitemaps of an index', () => {
    const text = `<sitemapindex><sitemap><loc>https://cdn.example/1.xml</loc><lastmod>2024-01-01</lastmod></sitemap>
      <sitemap><loc>2.xml.gz</loc></sitemap></sitemapindex>`
    expect(scan(text)).toEqual({
      pages: [],
      sitemaps: ['https://cdn.example/1.xml', 'https://example.com/maps/2.xml.gz'],
      problem: undefined,
    })
  })

  it('reads plain text with one address in each line', () => {
    expect(scan('\uFEFFhttps://example.com/a\r\n\nhttps://example.com/b\nnonsense\n').pages).toEqual([
      'https://example.com/a',
      'https://example.com/b',
    ])
  })

  it.each([
    ['', 'It is not a sitemap.'],
    ['Not found', 'It is not a sitemap.'],
    ['<!doctype html><html><body>Not found</body></html>', 'It is not a sitemap.'],
    ['<rss><channel><link>https://example.com/a</link></channel></rss>', 'It is not a sitemap.'],
    [
      `<!DOCTYPE urlset [<!ENTITY a "https://example.com/"><!ENTITY b "&a;&a;&a;">]>${urlset(entry('&b;'))}`,
      'It declares entities of its own.',
    ],
    [
      `<!DOCTYPE urlset [\n<!ENTITY file SYSTEM "file:///etc/passwd">]>${urlset(entry('&file;'))}`,
      'It declares entities of its own.',
    ],
  ])('skips %j', (text, problem) => {
    expect(scan(text)).toEqual({ pages: [], sitemaps: [], problem })
  })

  it('decodes no entity that XML does not define', () => {
    expect(scan(urlset(entry('/&nbsp;&evil;&#97;'))).pages).toEqual(['https://example.com/&nbsp;&evil;a'])
  })

  it('reads what is cut off as far as it goes', () => {
    const { pages, problem } = scan(urlset(entry('/a'), entry('/b')).slice(0, -30))
    expect([pages, problem]).toEqual([['https://example.com/a'], undefined])
  })

  it('reads 50,000 addresses of one file and says so where there are more', () => {
    const many = Array.from({ length: 50_001 }, (_, index) => entry(`/${index}`))
    expect(scan(urlset(...many), 60_000)).toMatchObject({
      pages: { length: 50_000 },
      problem: 'It lists more than 50000 addresses; the rest was not read.',
    })
    expect(scan(urlset(...many.slice(1)), 60_000).problem).toBeUndefined()
  })

  it('does not depend on how deep elements are nested', () => {
    expect(scan(`<urlset>${'<url><x>'.repeat(100_000)}<loc>/a</loc></url></urlset>`).pages).toEqual([
      'https://example.com/a',
    ])
  })
})
