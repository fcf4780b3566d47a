import type { Frontier, PendingPage } from './frontier.ts'
import type { MissingPage } from './missing-page.ts'
import { fetchPage, type KnownPage, type PageAnswer, type PageValidators, type WithoutPage } from './page.ts'
import { reasons } from './reasons.ts'
import type { Robots } from './robots.ts'
import type { Scanner } from './scanner.ts'
import type { SiteAccess } from './site-request.ts'
import { atOrigin, documentKind, isBelow, isSiteMove } from './urls.ts'

/** What came of one address. */
export type PageOutcome =
  | ({
      outcome: 'fetched'
      status: number
      html: string
      title: string | undefined
      language: string | undefined
      /** SHA-256 of the bytes, in hex. */
      hash: string
    } & PageValidators)
  | WithoutPage

/** What the visits of one crawl share. */
export interface Visits {
  site: SiteAccess
  scanner: Scanner
  frontier: Frontier
  /** The rules of an origin, asked for once. */
  robots(origin: string): Promise<Robots>
  known(url: string): Promise<KnownPage | undefined>
  /** Where a page led to instead of being kept, by redirect or canonical. */
  leads: Map<string, string>
  missing: MissingPage
}

const mostRedirects = 5

/**
 * Asks for one page of the frontier, and offers the frontier what it leads to.
 * @throws the reason of the crawl's signal when that is aborted; what `known` throws
 */
export async function visitPage(visits: Visits, page: PendingPage): Promise<PageOutcome> {
  const { site, scanner } = visits
  const url = new URL(page.url)
  const robots = await visits.robots(url.origin)
  if (!robots.reachable) return failed(reasons.robotsUnreachable, true)
  if (!robots.allows(page.url)) return skipped(reasons.robots)
  const document = documentKind(url)
  if (document !== undefined) return skipped(reasons.document(document))
  const known = await visits.known(page.url)
  const answer = await fetchPage(site, scanner, page.url, known)
  if (answer.outcome === 'redirect') return follow(visits, page, answer.to)
  if (answer.outcome !== 'page') return answer
  const said = { url: page.url, text: answer.scan.text }
  if (page.source === 'start') visits.missing.start(said)
  else if (await visits.missing.isShownFor(said, robots))
    return { outcome: 'failed', reason: reasons.missing, gone: true, siteFault: false }
  return judge(visits, page, robots, answer, known)
}

function follow({ frontier, leads }: Visits, page: PendingPage, to: string | undefined): PageOutcome {
  if (to === undefined) return failed(reasons.redirectNowhere)
  let own = atOrigin(to, frontier.scope)
  if (own === undefined && page.source === 'start' && isSiteMove(page.url, to)) {
    frontier.moveTo(new URL(to).origin)
    own = to
  }
  if (own === undefined) return skipped(reasons.otherSite(to))
  if (own === page.url || comesBack(leads, own, page.url)) return failed(reasons.redirectLoop)
  if (page.redirects >= mostRedirects) return failed(reasons.redirectsTooOften)
  leads.set(page.url, own)
  frontier.offer({ url: own, depth: page.depth, source: page.source, redirects: page.redirects + 1 })
  return skipped(reasons.redirect(own))
}

function judge(
  visits: Visits,
  { url, depth, source }: PendingPage,
  robots: Robots,
  { status, scan, etag, lastModified }: PageAnswer & { outcome: 'page' },
  known: KnownPage | undefined,
): PageOutcome {
  const { frontier, leads } = visits
  const { html, title, language, hash } = scan
  if (!scan.nofollow)
    for (const link of scan.links) {
      const own = atOrigin(link, frontier.scope)
      if (own !== undefined && own !== url) frontier.offer({ url: own, depth: depth + 1, source: 'link' })
    }
  if (!isBelow(new URL(url), frontier.scope.pathPrefix))
    return skipped(reasons.outsidePath(frontier.scope.pathPrefix))
  if (scan.noindex) return skipped(reasons.noindex)
  const canonical = scan.canonical && atOrigin(scan.canonical, frontier.scope)
  if (canonical && canonical !== url && robots.allows(canonical) && !comesBack(leads, canonical, url)) {
    const offered = frontier.offer({ url: canonical, depth, source: source === 'start' ? 'link' : source })
    // A page that is passed over itself replaces none.
    if (offered === 'pending' || offered === 'kept') {
      leads.set(url, canonical)
      return skipped(reasons.canonical(canonical))
    }
  }
  if (hash === known?.hash) return { outcome: 'unchanged', etag, lastModified }
  return { outcome: 'fetched', status, html, title, language, hash, etag, lastModified }
}

/** Whether the way on from one page ends at another. */
function comesBack(leads: ReadonlyMap<string, string>, from: string, to: string): boolean {
  const passed = new Set<string>()
  for (let at: string | undefined = from; at !== undefined && !passed.has(at); at = leads.get(at)) {
    if (at === to) return true
    passed.add(at)
  }
  return false
}

const skipped = (reason: string): PageOutcome => ({ outcome: 'skipped', reason })
const failed = (reason: string, siteFault = false): PageOutcome => ({
  outcome: 'failed',
  reason,
  gone: false,
  siteFault,
})
