import type { OutboundResponse } from '../http/client.ts'
import { OutboundError } from '../http/outbound-error.ts'
import { isRedirect, readLocation } from '../http/redirect.ts'
import { reasonOf, reasonOfStatus, reasons } from './reasons.ts'
import { parseRobotsTags } from './robots-tags.ts'
import type { PageScan } from './scan-page.ts'
import type { Scanner } from './scanner.ts'
import { askSite, readBody, type SiteAccess } from './site-request.ts'
import { documentKind, normalizeUrl } from './urls.ts'

/** What an earlier crawl has kept of a page. */
export interface KnownPage {
  /** As it was given out: strong ones only. */
  etag?: string | undefined
  lastModified?: string | undefined
  /** SHA-256 of the bytes, in hex. */
  hash?: string | undefined
}

/** By what the next crawl asks whether a page has changed. */
export interface PageValidators {
  /** A strong one; others say nothing of the bytes. */
  etag: string | undefined
  lastModified: string | undefined
}

/** Why there is nothing to keep of a page, or that what is kept is still right. A reason is a sentence for people. */
export type WithoutPage =
  | ({ outcome: 'unchanged' } & PageValidators)
  | { outcome: 'skipped'; reason: string }
  /** `gone`: the site says that there is no such page. `siteFault`: other pages would fail of it as well. */
  | { outcome: 'failed'; reason: string; gone: boolean; siteFault: boolean }

/** What a site answers when it is asked for one address. */
export type PageAnswer =
  | ({ outcome: 'page'; status: number; scan: PageScan } & PageValidators)
  | { outcome: 'redirect'; to: string | undefined }
  | WithoutPage

const mostBytes = 5 * 1_024 * 1_024
const headers = { accept: 'text/html,application/xhtml+xml;q=0.9' }
const strongEtag = /^"[\x21\x23-\x7e\x80-\xff]{0,512}"$/

/**
 * Asks for one page, without following its redirects, and reads it: at most 5 MB, within 20 seconds. What is known of it makes the
 * request a conditional one.
 * @throws the reason of the crawl's signal when that is aborted
 */
export async function fetchPage(
  site: SiteAccess,
  scanner: Scanner,
  url: string,
  known: KnownPage | undefined,
): Promise<PageAnswer> {
  const condition = conditionOf(known)
  try {
    const response = await askSite(site, url, {
      headers: { ...headers, ...condition },
      redirect: 'manual',
      maxBytes: mostBytes,
    })
    const early = withoutBody(response, url, known, condition)
    if (!early) return await readPage(site, scanner, url, response)
    await response.body.cancel()
    return early
  } catch (error) {
    site.signal.throwIfAborted()
    if (error instanceof OutboundError && error.reason === 'too_large')
      return { outcome: 'skipped', reason: reasons.tooLarge }
    const siteFault = error instanceof OutboundError && error.reason !== 'bad_response'
    return { outcome: 'failed', reason: reasonOf(error), gone: false, siteFault }
  }
}

function conditionOf({ etag, lastModified }: KnownPage = {}): Record<string, string> {
  if (etag !== undefined && strongEtag.test(etag)) return { 'if-none-match': etag }
  const since = Date.parse(lastModified ?? '')
  return Number.isNaN(since) ? {} : { 'if-modified-since': new Date(since).toUTCString() }
}

/** What status and headers alone say. */
function withoutBody(
  { status, headers }: OutboundResponse,
  url: string,
  known: KnownPage | undefined,
  condition: Record<string, string>,
): PageAnswer | undefined {
  const validators = validatorsOf(headers)
  const same = validators.etag !== undefined && validators.etag === known?.etag
  const { noindex } = parseRobotsTags(headers.get('x-robots-tag') ?? '')
  if (noindex && status === 304) return { outcome: 'skipped', reason: reasons.noindex }
  if ((status === 304 && Object.keys(condition).length > 0) || (status === 200 && same && !noindex))
    return { outcome: 'unchanged', ...validators }
  if (isRedirect(status)) {
    const location = headers.get('location')
    const to = location === null ? undefined : readLocation(location, new URL(url))
    return { outcome: 'redirect', to: to && normalizeUrl(to.href) }
  }
  if (status !== 200 && status !== 203) {
    const siteFault = status === 429 || status >= 500
    const gone = status === 404 || status === 410
    return { outcome: 'failed', reason: reasonOfStatus(status), gone, siteFault }
  }
  const type = typeOf(headers)
  if (type === '' || type === 'text/html' || type === 'application/xhtml+xml') return undefined
  const kind = type === 'application/pdf' ? 'PDF' : documentKind(new URL(url))
  const reason = kind === undefined ? reasons.contentType(type) : reasons.document(kind)
  return { outcome: 'skipped', reason }
}

async function readPage(
  site: SiteAccess,
  scanner: Scanner,
  url: string,
  response: OutboundResponse,
): Promise<PageAnswer> {
  const { status, headers } = response
  const bytes = await readBody(site, response)
  if (!isText(bytes, typeOf(headers))) return { outcome: 'skipped', reason: reasons.notText }
  const contentType = headers.get('content-type') ?? ''
  const scan = await scanner.page({ bytes, contentType, url }, site.signal)
  const tags = parseRobotsTags(headers.get('x-robots-tag') ?? '')
  const language = scan.language ?? headers.get('content-language')?.split(',', 1)[0]?.trim().slice(0, 35)
  const noindex = scan.noindex || tags.noindex
  const nofollow = scan.nofollow || tags.nofollow
  return {
    outcome: 'page',
    status,
    scan: { ...scan, noindex, nofollow, language },
    ...validatorsOf(headers),
  }
}

function validatorsOf(headers: Headers): PageValidators {
  const etag = headers.get('etag') ?? ''
  const lastModified = headers.get('last-modified') ?? ''
  return {
    etag: strongEtag.test(etag) ? etag : undefined,
    lastModified: Number.isNaN(Date.parse(lastModified)) ? undefined : lastModified.slice(0, 64),
  }
}

const typeOf = (headers: Headers) =>
  headers.get('content-type')?.split(/[;,]/, 1)[0]?.trim().toLowerCase().slice(0, 100) ?? ''

/** Whether the first bytes can be those of HTML; without a Content-Type they have to look like it. */
function isText(bytes: Buffer, type: string): boolean {
  const start = bytes.subarray(0, 512)
  const isWide = start[0] === 0xff || start[0] === 0xfe
  if (start.includes('%PDF-') || (start.includes(0) && !isWide)) return false
  return type !== '' || isWide || /^\s*</.test(start.toString('utf8').replace(/^\uFEFF/, ''))
}
