import { createSystemClock } from '../clock.ts'
import { type CrawlOptions, type CrawlState, checkCrawl } from './crawl-options.ts'
import { createFrontier, type PendingPage } from './frontier.ts'
import { createMissingPage } from './missing-page.ts'
import { createPace } from './pace.ts'
import { loadRobots, type Robots } from './robots.ts'
import { createScanner } from './scanner.ts'
import { crawlerAgent } from './site-request.ts'
import type { PageOutcome, Visits } from './visit.ts'

/** Why a crawl ended: nothing was left to ask for, one of its limits, its signal, or a site that did not answer. */
export type CrawlEnd = 'done' | 'pages' | 'bytes' | 'time' | 'aborted' | 'unavailable'

/** A crawl under way. */
export interface CrawlSession {
  visits: Visits
  startUrl: string
  /** The most addresses that are looked at, redirects and the like among them. */
  mostUrls: number
  state(): CrawlState
  /** Sitemaps are read once. */
  sitemapsRead: boolean
  /** Whether one more page may be asked for while `active` others are. */
  hasRoom(active: number): boolean
  /** Why no more is to be asked for; undefined as long as there is no reason. */
  end(): CrawlEnd | undefined
  /** Hands an outcome to the caller, after those before it. */
  report(page: PendingPage, outcome: PageOutcome): Promise<void>
  /** Breaks off what is under way. */
  stop(): void
  close(): Promise<void>
}

const usualBytes = 200 * 1_024 * 1_024
const usualMs = 30 * 60_000
/** Requests that are sent to a site at the same time. */
const width = 2
/** Pages in a row that fail by the site's fault, after which it is left alone. */
const mostFaults = 10

/** @throws TypeError that names the option that is wrong */
export function openCrawl(options: CrawlOptions): CrawlSession {
  const { startUrl, scope } = checkCrawl(options)
  const { http, clock = createSystemClock(), maxPages, maxDepth, state } = options
  const mostUrls = 2 * maxPages + 10
  const stop = new AbortController()
  const signal = AbortSignal.any([options.signal, stop.signal])
  const pace = createPace({ clock, signal })
  const frontier = createFrontier({ scope, maxDepth, mostUrls, state: state?.frontier })
  const counts = { fetched: 0, unchanged: 0, skipped: 0, failed: 0, ...state?.counts }
  const scanner = createScanner()
  const since = clock.now() - (state?.ms ?? 0)
  let bytes = state?.bytes ?? 0
  let faults = 0
  let isLate = false
  let isClosed = false
  let reported = Promise.resolve()
  const cancelTimer = clock.after(Math.max(0, since + (options.maxMs ?? usualMs) - clock.now()), () => {
    isLate = true
    stop.abort()
  })

  const site = {
    http,
    clock,
    pace,
    signal,
    userAgent: crawlerAgent(options.contactUrl),
    onBytes: (more: number) => void (bytes += more),
  }
  const origins = new Map<string, Promise<Robots>>()
  const askRobots = async (origin: string): Promise<Robots> => {
    const robots = await loadRobots(site, origin)
    pace.delayMs = robots.delayMs
    isClosed ||= !robots.reachable
    return robots
  }
  const robots = (origin: string): Promise<Robots> => {
    const asked = origins.get(origin) ?? askRobots(origin)
    origins.set(origin, asked)
    return asked
  }

  const missing = createMissingPage({ site, scanner, frontier }, state?.missing)

  const session: CrawlSession = {
    visits: { site, scanner, frontier, robots, known: options.known, leads: new Map(), missing },
    startUrl,
    mostUrls,
    sitemapsRead: state?.sitemapsRead ?? false,
    state: () => ({
      frontier: frontier.snapshot(),
      counts: { ...counts },
      bytes,
      ms: clock.now() - since,
      sitemapsRead: session.sitemapsRead,
      ...(missing.known !== undefined && { missing: missing.known }),
    }),
    hasRoom: (active) =>
      active < (pace.delayMs > 0 ? 1 : width) && counts.fetched + counts.unchanged + active < maxPages,
    end() {
      if (options.signal.aborted) return 'aborted'
      if (isLate) return 'time'
      if (isClosed || faults >= mostFaults) return 'unavailable'
      if (bytes >= (options.maxBytes ?? usualBytes)) return 'bytes'
      return counts.fetched + counts.unchanged >= maxPages && frontier.peek() ? 'pages' : undefined
    },
    report({ url, depth, source }, outcome) {
      reported = reported.then(async () => {
        const isKept = outcome.outcome === 'fetched' || outcome.outcome === 'unchanged'
        frontier.finish(url, isKept)
        counts[outcome.outcome] += 1
        faults = outcome.outcome === 'failed' && outcome.siteFault ? faults + 1 : 0
        await options.onPage({ url, depth, source, ...outcome }, session.state)
      })
      return reported
    },
    stop: () => stop.abort(),
    async close() {
      cancelTimer()
      await scanner.close()
    },
  }
  return session
}
