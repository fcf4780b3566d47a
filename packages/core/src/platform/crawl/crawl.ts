import type { CrawlOptions } from './crawl-options.ts'
import { type CrawlSession, openCrawl } from './crawl-session.ts'
import { type CrawlSummary, summarize } from './crawl-summary.ts'
import type { PendingPage } from './frontier.ts'
import { readSitemaps, type SitemapOutcome } from './sitemaps.ts'
import { atOrigin, normalizeUrl } from './urls.ts'
import { visitPage } from './visit.ts'

/**
 * Reads a website from its start page and its sitemaps on, breadth first and at most two requests at a time, as far as its robots.txt
 * allows. Each address that is looked at has one outcome, which `onPage` is given. An abort ends the crawl within a second, with what
 * is under way left for the crawl that is continued from the summary's state.
 * @throws TypeError that names the option that is wrong; what `known` or `onPage` throw
 */
export async function crawl(options: CrawlOptions): Promise<CrawlSummary> {
  const session = openCrawl(options)
  const { frontier } = session.visits
  try {
    if (!options.state) frontier.offer({ url: session.startUrl, depth: 0, source: 'start' })
    // It tells at which origin the site is; nothing else is asked for before.
    while (!session.end() && frontier.peek()?.source === 'start') await visitNext(session)
    const sitemaps = session.end() || session.sitemapsRead ? [] : await listSitemaps(session)
    for (const { url, depth } of options.earlier ?? []) {
      const own = atOrigin(normalizeUrl(url) ?? session.startUrl, frontier.scope)
      if (own !== undefined) frontier.offer({ url: own, depth, source: 'earlier' })
    }
    await visitAll(session)
    return summarize(session.end() ?? 'done', options, session.state(), sitemaps)
  } finally {
    await session.close()
  }
}

async function visitNext(session: CrawlSession): Promise<void> {
  const page = session.visits.frontier.take()
  if (page) await visit(session, page)
}

async function visit(session: CrawlSession, page: PendingPage): Promise<void> {
  const outcome = await unlessStopped(session, visitPage(session.visits, page))
  if (outcome) await session.report(page, outcome)
}

async function listSitemaps(session: CrawlSession): Promise<SitemapOutcome[]> {
  const { site, scanner, frontier, robots } = session.visits
  const { scope } = frontier
  const read = async () =>
    readSitemaps(site, scanner, { robots: await robots(scope.origin), scope, most: session.mostUrls })
  const listed = await unlessStopped(session, read())
  if (!listed) return []
  session.sitemapsRead = true
  for (const url of listed.pages) frontier.offer({ url, depth: 1, source: 'sitemap' })
  return listed.sitemaps
}

/** @returns undefined for what the end of the crawl has cut off */
async function unlessStopped<T>(session: CrawlSession, work: Promise<T>): Promise<T | undefined> {
  try {
    return await work
  } catch (error) {
    if (session.visits.site.signal.aborted) return undefined
    throw error
  }
}

async function visitAll(session: CrawlSession): Promise<void> {
  const active = new Set<Promise<void>>()
  try {
    for (;;) {
      while (!session.end() && session.hasRoom(active.size) && session.visits.frontier.peek()) {
        const visiting = visitNext(session).finally(() => active.delete(visiting))
        active.add(visiting)
      }
      if (active.size === 0) return
      await Promise.race(active)
    }
  } catch (error) {
    session.stop()
    await Promise.allSettled(active)
    throw error
  }
}
