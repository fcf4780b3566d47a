import { type CrawlScope, hasRepeatedSegments, isBelow, isMedia, patternOf } from './urls.ts'

/** How a crawl came to know of a page. `earlier`: from an earlier crawl only, so far. */
export type PageSource = 'start' | 'sitemap' | 'link' | 'earlier'

/** A page that is to be asked for. */
export interface PendingPage {
  url: string
  /** Links from the start page; pages of a sitemap are one away. */
  depth: number
  source: PageSource
  /** How many redirects led here in a row. */
  redirects: number
}

/** Why an address is not asked for. */
export type LeftOut = 'media' | 'outsidePath' | 'tooDeep' | 'tooMany' | 'endless' | 'repeating'

/** What became of an address that was offered: to be asked for or asked for just now, kept, passed over, or left out. */
export type Offered = 'pending' | 'kept' | 'passed' | LeftOut

/** A frontier as JSON; addresses of the site's origin stand there without it. */
export interface FrontierState {
  origin: string
  aliases: readonly string[]
  pending: Array<[url: string, depth: number, source: PageSource, redirects: number]>
  /** What has its outcome, and whether it is a page that is kept. */
  visited: Array<[url: string, isKept: boolean]>
  leftOut: Array<[url: string, reason: LeftOut]>
}

export interface Frontier {
  readonly scope: CrawlScope
  /** The site is at another origin than was thought. */
  moveTo(origin: string): void
  /** @param page its `url` normalized and at the origin */
  offer(page: Omit<PendingPage, 'redirects'> & { redirects?: number }): Offered
  /** The page that is next. */
  peek(): PendingPage | undefined
  /** Takes the page that is next; until it is finished it counts as pending. */
  take(): PendingPage | undefined
  finish(url: string, isKept: boolean): void
  /** Addresses that were not asked for, each with its reason; the first thousand. */
  readonly leftOut: ReadonlyMap<string, LeftOut>
  snapshot(): FrontierState
}

/** How many addresses of one pattern links lead to; what a sitemap lists is believed. */
const mostOfPattern = 200
const mostLeftOut = 1_000

/** The pages that a crawl has still to ask for, first come first served, and those that it has asked for. */
export function createFrontier(options: {
  scope: CrawlScope
  maxDepth: number
  /** The most pages that are to be asked for or were. */
  mostUrls: number
  state: FrontierState | undefined
}): Frontier {
  const { maxDepth, mostUrls, state } = options
  let scope = state ? { ...options.scope, origin: state.origin, aliases: state.aliases } : options.scope
  const full = (url: string) => (url.startsWith('/') ? scope.origin + url : url)
  const short = (url: string) => (url.startsWith(`${scope.origin}/`) ? url.slice(scope.origin.length) : url)
  const pending = new Map<string, PendingPage>()
  const active = new Map<string, PendingPage>()
  const visited = new Map(state?.visited.map(([url, isKept]) => [full(url), isKept]))
  const leftOut = new Map(state?.leftOut.map(([url, reason]) => [full(url), reason]))
  const patterns = new Map<string, number>()

  const countPattern = (url: string): void => {
    const pattern = patternOf(new URL(url))
    if (pattern !== undefined) patterns.set(pattern, (patterns.get(pattern) ?? 0) + 1)
  }
  const add = (page: PendingPage): void => {
    pending.set(page.url, page)
    countPattern(page.url)
  }
  const refuse = (url: URL, depth: number, source: PageSource): LeftOut | undefined => {
    if (source === 'start') return undefined
    if (isMedia(url)) return 'media'
    if (!isBelow(url, scope.pathPrefix)) return 'outsidePath'
    if (depth > maxDepth) return 'tooDeep'
    if (source === 'link' && hasRepeatedSegments(url)) return 'repeating'
    if (source === 'link' && (patterns.get(patternOf(url) ?? '') ?? 0) >= mostOfPattern) return 'endless'
    return pending.size + active.size + visited.size >= mostUrls ? 'tooMany' : undefined
  }

  for (const url of visited.keys()) countPattern(url)
  for (const [url, depth, source, redirects] of state?.pending ?? [])
    add({ url: full(url), depth, source, redirects })

  return {
    get scope() {
      return scope
    },
    moveTo(origin) {
      scope = { ...scope, origin, aliases: [...scope.aliases, scope.origin] }
    },
    offer({ url, depth, source, redirects = 0 }) {
      const isKept = visited.get(url)
      if (isKept !== undefined) return isKept ? 'kept' : 'passed'
      if (active.has(url)) return 'pending'
      const known = pending.get(url)
      if (known) {
        known.depth = Math.min(known.depth, depth)
        if (source === 'sitemap' || known.source === 'earlier') known.source = source
        return 'pending'
      }
      const reason = refuse(new URL(url), depth, source)
      if (reason === undefined) {
        leftOut.delete(url)
        add({ url, depth, source, redirects })
        return 'pending'
      }
      if (reason !== 'media' && leftOut.size < mostLeftOut) leftOut.set(url, reason)
      return reason
    },
    peek: () => pending.values().next().value,
    take() {
      const next = pending.values().next().value
      if (next) {
        pending.delete(next.url)
        active.set(next.url, next)
      }
      return next
    },
    finish(url, isKept) {
      active.delete(url)
      visited.set(url, isKept)
    },
    leftOut,
    snapshot: () => ({
      origin: scope.origin,
      aliases: scope.aliases,
      pending: [...active.values(), ...pending.values()].map((page) => [
        short(page.url),
        page.depth,
        page.source,
        page.redirects,
      ]),
      visited: [...visited].map(([url, isKept]) => [short(url), isKept]),
      leftOut: [...leftOut].map(([url, reason]) => [short(url), reason]),
    }),
  }
}
