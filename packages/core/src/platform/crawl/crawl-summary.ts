import type { CrawlOptions, CrawlState } from './crawl-options.ts'
import type { CrawlEnd } from './crawl-session.ts'
import type { LeftOut } from './frontier.ts'
import type { SitemapOutcome } from './sitemaps.ts'

export interface CrawlSummary {
  end: CrawlEnd
  /** Where the site is, after moves of its start page. */
  origin: string
  /** What came of the sitemaps that this crawl has read. */
  sitemaps: SitemapOutcome[]
  /** Addresses of the site that were not asked for: why, how many (a thousand at most are counted), and the first of them. */
  leftOut: Array<{ reason: string; count: number; examples: string[] }>
  /** From which a crawl can be continued. */
  state: CrawlState
}

const mostExamples = 5

export function summarize(
  end: CrawlEnd,
  { maxDepth, maxPages, pathPrefix = '/' }: CrawlOptions,
  state: CrawlState,
  sitemaps: SitemapOutcome[],
): CrawlSummary {
  const words: Record<Exclude<LeftOut, 'media'>, string> = {
    outsidePath: `Not below ${pathPrefix}.`,
    tooDeep: `More than ${maxDepth} links away from the start page.`,
    tooMany: `Over the limit of ${maxPages} pages.`,
    endless: 'One of very many addresses of the same form, as a calendar has them.',
    repeating: 'An address that repeats itself.',
  }
  const { origin, leftOut, pending } = state.frontier
  const all = leftOut.flatMap(([url, reason]) => (reason === 'media' ? [] : [[url, words[reason]] as const]))
  if (end === 'pages') for (const [url] of pending) all.push([url, words.tooMany])
  const groups = Map.groupBy(all, ([, reason]) => reason)
  return {
    end,
    origin,
    sitemaps,
    leftOut: [...groups].map(([reason, urls]) => ({
      reason,
      count: urls.length,
      examples: urls.slice(0, mostExamples).map(([url]) => (url.startsWith('/') ? origin + url : url)),
    })),
    state,
  }
}
