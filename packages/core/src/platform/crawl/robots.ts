import { OutboundError } from '../http/outbound-error.ts'
import { parseRobots } from './robots-rules.ts'
import { askSite, readBody, type SiteAccess } from './site-request.ts'

/** What an origin's robots.txt means for a crawl. */
export interface Robots {
  /** Whether the file could be read, or there is none. While it cannot be read nothing may be asked for. */
  reachable: boolean
  allows(url: string): boolean
  /** Milliseconds between two requests. */
  delayMs: number
  /** The sitemaps that it names, as absolute addresses. */
  sitemaps: string[]
}

/** What is longer is cut there, bytes. */
const mostBytes = 500 * 1_024
const longestDelayMs = 10_000
/** A body is cut at {@link mostBytes} here, and not refused for what it says of its length. */
const anySize = Number.MAX_SAFE_INTEGER

/**
 * Asks an origin for its robots.txt, through five redirects. None (4xx, or too many redirects) allows everything; a server that fails
 * or cannot be reached allows nothing.
 * @throws the reason of the crawl's signal when that is aborted
 */
export async function loadRobots(site: SiteAccess, origin: string): Promise<Robots> {
  try {
    const response = await askSite(site, `${origin}/robots.txt`, {
      headers: { accept: 'text/plain' },
      maxBytes: anySize,
    })
    const { status } = response
    const found = status >= 200 && status < 300
    if (!found) await response.body.cancel()
    if (status >= 500) return nothing
    const bytes = found ? await readBody(site, response, mostBytes) : Buffer.alloc(0)
    return toRobots(bytes, origin)
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error
    return error.reason === 'redirect' ? toRobots(Buffer.alloc(0), origin) : nothing
  }
}

const nothing: Robots = { reachable: false, allows: () => false, delayMs: 0, sitemaps: [] }

function toRobots(bytes: Buffer, origin: string): Robots {
  // Half a line would be another rule.
  const whole = bytes.length < mostBytes ? bytes : bytes.subarray(0, bytes.lastIndexOf('\n') + 1)
  const { allows, crawlDelay, sitemaps } = parseRobots(whole.toString('utf8'))
  return {
    reachable: true,
    allows: (url) => allows(url.slice(new URL(url).origin.length)),
    delayMs: Math.min((crawlDelay ?? 0) * 1_000, longestDelayMs),
    sitemaps: sitemaps.flatMap((sitemap) =>
      URL.canParse(sitemap, origin) ? [new URL(sitemap, origin).href] : [],
    ),
  }
}
