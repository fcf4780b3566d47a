import { scanTags } from './tags.ts'
import { atOrigin, type CrawlScope, isBelow, longestUrl, normalizeUrl } from './urls.ts'

/** What a sitemap lists, or why it cannot be used. */
export interface SitemapScan {
  /** Pages of the crawl, each once, the newest first where there are more than fit. */
  pages: string[]
  /** Further sitemaps, normalized. */
  sitemaps: string[]
  /** In plain words; there may be pages all the same. */
  problem: string | undefined
}

interface Entry {
  url: string
  /** Milliseconds since the epoch; 0 where it is not given. */
  modified: number
}

/** The protocol allows no more in one file. */
const mostEntries = 50_000
const mostSitemaps = 1_000

/**
 * Reads a sitemap or an index of sitemaps in XML, or a list of addresses with one in each line.
 * @param input `most`: how many pages to keep
 */
export function scanSitemap(input: {
  bytes: Uint8Array
  url: string
  scope: CrawlScope
  most: number
}): SitemapScan {
  const text = new TextDecoder().decode(input.bytes)
  const found = /^\s*</.test(text.slice(0, 1_024)) ? scanXml(text) : scanLines(text)
  const pages = new Map<string, number>()
  for (const { url, modified } of found.pages) {
    const page = normalizeUrl(url, input.url)
    const own = page === undefined ? undefined : atOrigin(page, input.scope)
    if (own !== undefined && isBelow(new URL(own), input.scope.pathPrefix)) pages.set(own, modified)
  }
  const listed = [...pages]
  if (listed.length > input.most) listed.sort(([, a], [, b]) => b - a)
  const sitemaps = found.sitemaps.flatMap(({ url }) => normalizeUrl(url, input.url) ?? [])
  return { pages: listed.slice(0, input.most).map(([url]) => url), sitemaps, problem: found.problem }
}

interface Found {
  pages: Entry[]
  sitemaps: Entry[]
  problem: string | undefined
}

function scanXml(text: string): Found {
  const found: Found = { pages: [], sitemaps: [], problem: undefined }
  let root: string | undefined
  let entry: Entry | undefined
  let inside: 'loc' | 'lastmod' | undefined
  let value = ''

  const end = (name: string): void => {
    if (name === inside && entry) {
      if (name === 'loc') entry.url = value.trim()
      else entry.modified = Date.parse(value.trim()) || 0
    }
    inside = undefined
    const list = name === 'url' ? found.pages : found.sitemaps
    if ((name !== 'url' && name !== 'sitemap') || !entry) return
    if (entry.url !== '') list.push(entry)
    entry = undefined
    const most = name === 'url' ? mostEntries : mostSitemaps
    if (list.length <= most) return
    list.pop()
    found.problem = `It lists more than ${most} addresses; the rest was not read.`
  }

  scanTags(
    text,
    'xml',
    {
      elements: new Set(['urlset', 'sitemapindex', 'url', 'sitemap', 'loc', 'lastmod']),
      onOpen(name) {
        root ??= name
        if (name === 'url' || name === 'sitemap') entry = { url: '', modified: 0 }
        inside = name === 'loc' || name === 'lastmod' ? name : undefined
        value = ''
      },
      onClose: end,
      onText(piece) {
        if (inside && value.length < longestUrl) value += piece.slice(0, longestUrl)
      },
      onDeclaration(declaration) {
        if (/ENTITY|\[/i.test(declaration)) found.problem = 'It declares entities of its own.'
      },
    },
    () => found.problem !== undefined,
  )
  if (!found.problem && root !== 'urlset' && root !== 'sitemapindex') found.problem = notOne
  return found
}

const notOne = 'It is not a sitemap.'

function scanLines(text: string): Found {
  const pages: Entry[] = []
  let start = 0
  while (start < text.length && pages.length < mostEntries) {
    const newline = text.indexOf('\n', start)
    const end = newline < 0 ? text.length : newline
    const line = text.slice(start, Math.min(end, start + longestUrl + 2)).trim()
    if (/^https?:\/\//i.test(line)) pages.push({ url: line, modified: 0 })
    else if (line !== '' && pages.length === 0) break
    start = end + 1
  }
  return { pages, sitemaps: [], problem: pages.length === 0 ? notOne : undefined }
}
