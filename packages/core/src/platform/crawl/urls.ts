/** Longer addresses are not asked for, characters. */
export const longestUrl = 2_048

const tracking = /^(?:utm_[^=]*|gclid|fbclid|msclkid)(?:=|$)/i

/**
 * The one form of an address under which a crawl knows a page: absolute, without fragment, tracking parameters, default port and
 * final dots of the host. The order of the query stays.
 * @returns undefined for what is no address of the web, carries a password or is longer than {@link longestUrl}
 */
export function normalizeUrl(href: string, base?: string): string | undefined {
  if (href.length > longestUrl || !URL.canParse(href, base)) return undefined
  const url = new URL(href, base)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return undefined
  if (url.username !== '' || url.password !== '') return undefined
  url.hash = ''
  if (url.hostname.endsWith('.')) url.hostname = url.hostname.replace(/\.+$/, '')
  const query = url.search.slice(1).split('&')
  url.search = query.filter((parameter) => !tracking.test(parameter)).join('&')
  return url.href.length > longestUrl ? undefined : url.href
}

/** Which addresses belong to a crawl. */
export interface CrawlScope {
  origin: string
  /** Further origins under which the site links to itself: those that the start page moved away from. */
  aliases: readonly string[]
  /** Pages below this path only; `/` for all. */
  pathPrefix: string
}

/** An address of the site as one of its origin; undefined for another site's. @param url normalized */
export function atOrigin(url: string, { origin, aliases }: CrawlScope): string | undefined {
  if (url.startsWith(`${origin}/`)) return url
  const of = new URL(url).origin
  return aliases.includes(of) || of.replace(/^http:/, 'https:') === origin
    ? origin + url.slice(of.length)
    : undefined
}

/** Whether the path of an address is the prefix or lies below it: `/docs` holds `/docs/a` and not `/docsets`. */
export function isBelow({ pathname }: URL, pathPrefix: string): boolean {
  const prefix = pathPrefix.replace(/\/+$/, '')
  return pathname === prefix || pathname.startsWith(`${prefix}/`)
}

/** Whether a redirect from one address to the other stays on the site: to or from `www.`, and from http to https. */
export function isSiteMove(from: string, to: string): boolean {
  const [a, b] = [new URL(from), new URL(to)]
  const bare = (url: URL) => url.hostname.replace(/^www\./, '')
  if (bare(a) !== bare(b)) return false
  return a.protocol === b.protocol ? a.port === b.port : a.protocol === 'http:'
}

/** Whether a segment of the path occurs three times, as where relative links lead ever deeper. */
export function hasRepeatedSegments({ pathname }: URL): boolean {
  const seen = new Map<string, number>()
  for (const segment of pathname.split('/')) {
    const count = (seen.get(segment) ?? 0) + 1
    if (segment !== '' && count > 2) return true
    seen.set(segment, count)
  }
  return false
}

/**
 * What very many addresses have in common where a site makes them without end, as a calendar does: the path without its numbers,
 * and whether there is a query. Undefined for an address with neither.
 */
export function patternOf({ pathname, search }: URL): string | undefined {
  const path = pathname.replace(/\d+/g, '#')
  if (search !== '') return `${path}?`
  return path === pathname ? undefined : path
}

const media =
  /\.(?:jpe?g|png|gif|webp|svg|ico|avif|bmp|tiff?|mp[34]|m4[av]|avi|mov|webm|wav|ogg|zip|gz|tgz|rar|7z|exe|dmg|iso|css|m?js|json|xml|rss|atom|ics|woff2?|ttf|eot)$/i
const documents = /\.(pdf|docx?|xlsx?|pptx?|od[tsp]|rtf|csv|epub)$/i

/** Whether the ending of the path is that of an image, an archive or another file in which no text is looked for. */
export function isMedia({ pathname }: URL): boolean {
  return media.test(pathname)
}

/** The kind of document that the ending of the path tells, such as `PDF`. */
export function documentKind({ pathname }: URL): string | undefined {
  return documents.exec(pathname)?.[1]?.toUpperCase()
}
