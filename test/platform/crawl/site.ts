import type { ServerResponse } from 'node:http'
import { crawl } from '../../../packages/core/src/platform/crawl/crawl.ts'
import type {
  CrawledPage,
  CrawlOptions,
  CrawlState,
} from '../../../packages/core/src/platform/crawl/crawl-options.ts'
import type { CrawlSummary } from '../../../packages/core/src/platform/crawl/crawl-summary.ts'
import { createHttpClient, type HttpClientOptions } from '../../../packages/core/src/platform/http/client.ts'
import { silentLogger } from '../../../packages/core/src/platform/logger.ts'
import { createTestClock, type TestClock } from '../../kit/clock.ts'
import { type Heard, type LocalServer, startServer } from '../http/server.ts'

/** What a path of a site answers: an HTML page, or whatever the function sends. */
export type Route = string | ((response: ServerResponse, request: Heard) => void)

export interface Site extends LocalServer {
  /** The paths that were asked for, in their order. */
  asked(): string[]
  /** How often a path was asked for. */
  count(path: string): number
}

/**
 * A website on 127.0.0.1. Its names `site.example`, `www.site.example` and `other.example` lead to it as well.
 * @param routes by path with its query; other paths are 404, and robots.txt allows everything
 */
export async function startSite(
  routes: Record<string, Route> | ((path: string) => Route | undefined),
): Promise<Site> {
  const find = typeof routes === 'function' ? routes : (path: string) => routes[path]
  const server = await startServer((response, request) => {
    const route = find(request.url)
    if (typeof route === 'function') route(response, request)
    else if (route === undefined) response.writeHead(404, { 'content-type': 'text/html' }).end('None.')
    else response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(route)
  })
  const asked = () => server.heard.map(({ url }) => url)
  const count = (path: string) => asked().filter((one) => one === path).length
  // The server's own getter has to stay one.
  return Object.assign(server, { asked, count })
}

/** An HTML page with links. */
export function page(title: string, links: readonly string[] = [], head = ''): string {
  const list = links.map((href) => `<li><a href="${href}">${href}</a></li>`).join('')
  return `<!doctype html><html lang="en"><head><title>${title}</title>${head}</head><body><ul>${list}</ul></body></html>`
}

export const send =
  (status: number, headers: Record<string, string>, body: string | Buffer = ''): Route =>
  (response) =>
    void response.writeHead(status, headers).end(body)

export const redirect = (location: string, status = 301): Route => send(status, { location })

export interface CrawlResult {
  summary: CrawlSummary
  pages: CrawledPage[]
  /** The outcome of each address, with the reason where there is one; by path at the site's own origin. */
  outcomes: Record<string, string>
  /** The last state that was given out. */
  state: CrawlState | undefined
}

/** Crawls a site from `/` on. */
export async function crawlSite(
  site: Pick<LocalServer, 'url' | 'port'>,
  changes: Partial<CrawlOptions> = {},
  client: Partial<HttpClientOptions> = {},
): Promise<CrawlResult> {
  const http = createHttpClient({
    log: silentLogger,
    allowHosts: ['127.0.0.1', 'site.example', 'www.site.example', 'other.example'],
    lookup: async () => [{ address: '127.0.0.1', family: 4 }],
    ...client,
  })
  const pages: CrawledPage[] = []
  let state: CrawlState | undefined
  try {
    const summary = await crawl({
      startUrl: `${site.url}/`,
      maxPages: 100,
      maxDepth: 10,
      known: async () => undefined,
      signal: new AbortController().signal,
      http,
      ...changes,
      async onPage(one, current) {
        pages.push(one)
        state = JSON.parse(JSON.stringify(current())) as CrawlState
        await changes.onPage?.(one, current)
      },
    })
    const outcomes = Object.fromEntries(
      pages.map((one) => [
        one.url.startsWith(`${site.url}/`) ? one.url.slice(site.url.length) : one.url,
        'reason' in one ? `${one.outcome}: ${one.reason}` : one.outcome,
      ]),
    )
    return { summary, pages, outcomes, state }
  } finally {
    await http.close()
  }
}

/** A clock on which a crawl's waits pass at once, and are remembered in milliseconds. Its time limit never comes. */
export function createHastyClock(): TestClock & { waits: number[] } {
  const clock = createTestClock()
  const waits: number[] = []
  return {
    ...clock,
    waits,
    after(ms, fn) {
      const cancel = clock.after(ms, fn)
      if (ms <= 120_000) {
        waits.push(ms)
        setImmediate(() => clock.advance(ms))
      }
      return cancel
    },
  }
}
