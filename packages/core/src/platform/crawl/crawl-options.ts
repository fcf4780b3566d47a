import type { Clock } from '../clock.ts'
import type { HttpClient } from '../http/client.ts'
import type { FrontierState, PageSource } from './frontier.ts'
import type { SaidPage } from './missing-page.ts'
import type { KnownPage } from './page.ts'
import { type CrawlScope, normalizeUrl } from './urls.ts'
import type { PageOutcome } from './visit.ts'

/** One address of the site and what came of it; `depth`: links from the start page, `source`: how the crawl came to know of it. */
export type CrawledPage = { url: string; depth: number; source: PageSource } & PageOutcome

/** Where a crawl was, as JSON: one that is given it goes on there. */
export interface CrawlState {
  frontier: FrontierState
  /** How many addresses had which outcome. */
  counts: Record<PageOutcome['outcome'], number>
  /** Read so far, of all answers. */
  bytes: number
  /** How long it has taken, milliseconds. */
  ms: number
  sitemapsRead: boolean
  /** What the site shows for an address that cannot exist; null where it says that there is no such page. */
  missing?: SaidPage | null
}

export interface CrawlOptions {
  startUrl: string
  /** Pages to keep, 1 to 2,000. */
  maxPages: number
  /** Links away from the start page, 0 to 10. */
  maxDepth: number
  /** Pages below this path only. */
  pathPrefix?: string | undefined
  /** Pages of an earlier crawl: within the limits each gets its outcome, also where no page that has changed links to it. */
  earlier?: Iterable<{ url: string; depth: number }> | undefined
  /** What an earlier crawl kept of a page. */
  known(url: string): Promise<KnownPage | undefined>
  /**
   * Called once for each address, one call after the other. What it throws ends the crawl.
   * @param state gives the state of the crawl in which this page is done
   */
  onPage(page: CrawledPage, state: () => CrawlState): Promise<void>
  /** Of a crawl that did not get to its end. */
  state?: CrawlState | undefined
  signal: AbortSignal
  http: Pick<HttpClient, 'request'>
  clock?: Clock | undefined
  /** Where the owner of a site learns who reads it; sent with each request. */
  contactUrl?: string | undefined
  /** Of all answers together; default 200 MB. */
  maxBytes?: number | undefined
  /** Of the whole crawl, milliseconds; default 30 minutes. */
  maxMs?: number | undefined
}

/** @throws TypeError that names the option that is wrong */
export function checkCrawl(options: CrawlOptions): { startUrl: string; scope: CrawlScope } {
  const { maxPages, maxDepth, pathPrefix = '/' } = options
  const startUrl = normalizeUrl(options.startUrl)
  if (startUrl === undefined)
    throw new TypeError(
      'startUrl has to be an address of the web without a password, such as https://example.com',
    )
  if (!Number.isInteger(maxPages) || maxPages < 1 || maxPages > 2_000)
    throw new TypeError('maxPages has to be a whole number from 1 to 2,000')
  if (!Number.isInteger(maxDepth) || maxDepth < 0 || maxDepth > 10)
    throw new TypeError('maxDepth has to be a whole number from 0 to 10')
  if (!/^\/[^?#\s]{0,1000}$/.test(pathPrefix))
    throw new TypeError('pathPrefix has to be a path, such as /docs')
  const { origin } = new URL(startUrl)
  return { startUrl, scope: { origin, aliases: [], pathPrefix: new URL(origin + pathPrefix).pathname } }
}
