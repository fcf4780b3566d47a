import type { Clock } from '../clock.ts'
import type { HttpClient, OutboundRequest, OutboundResponse } from '../http/client.ts'
import { OutboundError } from '../http/outbound-error.ts'
import { version } from '../version.ts'
import type { Pace } from './pace.ts'
import { robotsToken } from './robots-tags.ts'

/** What the requests of one crawl share. */
export interface SiteAccess {
  http: Pick<HttpClient, 'request'>
  clock: Clock
  pace: Pace
  signal: AbortSignal
  userAgent: string
  /** Called with the size of each piece of a body that was read. */
  onBytes(bytes: number): void
}

/** How the crawler introduces itself. @param contactUrl where the owner of a site learns who is asking */
export function crawlerAgent(contactUrl: string | undefined): string {
  return `${robotsToken}/${version}${contactUrl === undefined ? '' : ` (+${contactUrl})`}`
}

/** What one page, robots.txt or sitemap may take, all its bytes included. */
const timeoutMs = 20_000
/** A longer wait than this is not waited for. */
const longestWaitMs = 60_000
/** Where a site says that it is too much, and not for how long. */
const usualWaitMs = 10_000
const attempts = 3

/**
 * Sends a GET when its turn has come. Where the site is busy (429, or 503 with `Retry-After`) and says to wait for a minute at most,
 * it waits and asks again, twice; a connection that broke is tried once more.
 * @throws OutboundError; the reason of the crawl's signal when that is aborted
 */
export async function askSite(
  site: SiteAccess,
  url: string,
  request: Pick<OutboundRequest, 'headers' | 'redirect' | 'maxBytes'>,
): Promise<OutboundResponse> {
  const { http, clock, pace, signal } = site
  const headers = new Headers(request.headers)
  headers.set('user-agent', site.userAgent)
  for (let attempt = 1; ; attempt += 1) {
    await pace.turn()
    try {
      const response = await http.request(url, { ...request, headers, timeoutMs, signal })
      const waitMs = attempt < attempts ? askedWait(response, clock) : undefined
      if (waitMs === undefined) return response
      await response.body.cancel()
      pace.pause(waitMs)
    } catch (error) {
      signal.throwIfAborted()
      // A server may close a connection at the moment at which it is used again.
      const broke = error instanceof OutboundError && error.reason === 'network'
      if (!broke || attempt > 1) throw error
      pace.pause(1_000)
    }
  }
}

/** Milliseconds to wait before the same is asked again; undefined where that has no use. */
function askedWait({ status, headers }: OutboundResponse, clock: Clock): number | undefined {
  const given = headers.get('retry-after')
  if (status !== 429 && (status !== 503 || given === null)) return undefined
  const seconds = /^\d+$/.test(given ?? '') ? Number(given) * 1_000 : Date.parse(given ?? '') - clock.now()
  const ms = Number.isNaN(seconds) ? usualWaitMs : Math.max(1_000, seconds)
  return ms > longestWaitMs ? undefined : ms
}

/**
 * Reads a body, and counts its bytes.
 * @param cutAt bytes after which the rest is not read
 * @throws OutboundError; the reason of the crawl's signal when that is aborted
 */
export async function readBody(
  site: SiteAccess,
  { body }: OutboundResponse,
  cutAt = Number.POSITIVE_INFINITY,
): Promise<Buffer> {
  const parts: Uint8Array[] = []
  let size = 0
  try {
    for await (const part of body) {
      parts.push(part)
      size += part.byteLength
      site.onBytes(part.byteLength)
      if (size >= cutAt) break
    }
  } catch (error) {
    site.signal.throwIfAborted()
    throw error
  }
  return Buffer.concat(parts).subarray(0, Math.min(size, cutAt))
}
