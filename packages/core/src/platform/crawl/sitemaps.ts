import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { OutboundError } from '../http/outbound-error.ts'
import { ThreadFault } from '../threads/threads.ts'
import { reasonOf, reasonOfStatus } from './reasons.ts'
import type { Robots } from './robots.ts'
import type { SitemapScan } from './scan-sitemap.ts'
import type { Scanner } from './scanner.ts'
import { askSite, readBody, type SiteAccess } from './site-request.ts'
import type { CrawlScope } from './urls.ts'

/** What came of one sitemap. */
export interface SitemapOutcome {
  url: string
  /** How many pages of the crawl it lists. */
  pages: number
  /** Why it was not read, or not to its end, in plain words. */
  problem: string | undefined
}

const mostFiles = 50
/** Of one file, unpacked. */
const mostBytes = 10 * 1_024 * 1_024
const tooLarge = 'It is larger than 10 MB.'
const unpack = promisify(gunzip)

/**
 * Reads the sitemaps that robots.txt names, or else `/sitemap.xml`, and those that they list in turn.
 * @param options `most`: pages of one file that are kept, the newest of them
 * @returns the pages, file by file; and what came of each file: at the usual place there may be none
 * @throws the reason of the crawl's signal when that is aborted
 */
export async function readSitemaps(
  site: SiteAccess,
  scanner: Scanner,
  options: { robots: Robots; scope: CrawlScope; most: number },
): Promise<{ pages: string[]; sitemaps: SitemapOutcome[] }> {
  const { robots, scope, most } = options
  const usual = `${scope.origin}/sitemap.xml`
  const guessed = robots.sitemaps.length === 0 && robots.allows(usual)
  const files = new Set(guessed ? [usual] : robots.sitemaps)
  const pages = new Set<string>()
  const sitemaps: SitemapOutcome[] = []
  // A set is walked on to what is added meanwhile.
  for (const url of files) {
    if (sitemaps.length >= mostFiles) break
    const scan = await readSitemap(site, scanner, url, { scope, most })
    if (scan === undefined && guessed) continue
    const { pages: listed, sitemaps: further, problem } = scan ?? missing
    for (const page of listed) if (pages.size < most) pages.add(page)
    for (const file of further) if (files.size < mostFiles) files.add(file)
    sitemaps.push({ url, pages: listed.length, problem })
  }
  return { pages: [...pages], sitemaps }
}

const failure = (problem: string): SitemapScan => ({ pages: [], sitemaps: [], problem })
const missing = failure('It does not exist.')

/** @returns undefined where there is none */
async function readSitemap(
  site: SiteAccess,
  scanner: Scanner,
  url: string,
  { scope, most }: { scope: CrawlScope; most: number },
): Promise<SitemapScan | undefined> {
  try {
    const response = await askSite(site, url, {
      headers: { accept: 'application/xml,text/xml,text/plain;q=0.9' },
      maxBytes: mostBytes,
    })
    if (response.status !== 200) {
      await response.body.cancel()
      return response.status === 404 || response.status === 410
        ? undefined
        : failure(reasonOfStatus(response.status))
    }
    const bytes = await inflated(await readBody(site, response))
    if (!bytes) return failure(tooLarge)
    return await scanner.sitemap({ bytes, url: response.url, scope, most }, site.signal)
  } catch (error) {
    site.signal.throwIfAborted()
    if (error instanceof OutboundError && error.reason === 'too_large') return failure(tooLarge)
    if (error instanceof OutboundError || error instanceof ThreadFault) return failure(reasonOf(error))
    throw error
  }
}

/** Unpacks what is gzip by its content. @returns undefined for more than the limit */
async function inflated(bytes: Buffer): Promise<Buffer | undefined> {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes
  try {
    return await unpack(bytes, { maxOutputLength: mostBytes })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') return undefined
    return Buffer.alloc(0)
  }
}
