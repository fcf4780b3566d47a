/** What is counted of a page on a day: the first by web analytics, those of the search engine by its console. */
export const webFigureNames = [
  'views',
  'sessions',
  'visitors',
  'keyEvents',
  'searchImpressions',
  'searchClicks',
] as const
export type WebFigureName = (typeof webFigureNames)[number]

/** What a source does not count is left out. */
export type WebFigures = Partial<Record<WebFigureName, number>> & {
  /** The mean place among the results of the search engine, in thousandths: 1,000 is the first one. */
  searchPlaceMilli?: number
}

/** Of a website on a day of its own calendar, or of one of its pages. */
export interface DayOfPage {
  day: string
  /** As `pageKey` names it; null for the whole website. */
  page: string | null
  figures: WebFigures
}

/**
 * The name of a page by which two addresses are one: the host in small letters without `www.`, and the path without its last slash.
 * @returns null for what is no address on the web, and for a page that only its query names, which no source tells from others
 */
export function pageKey(url: string): string | null {
  if (!URL.canParse(url)) return null
  const { protocol, hostname, pathname, search } = new URL(url)
  if (!/^https?:$/.test(protocol) || search !== '') return null
  return pageKeyOf(hostname, pathname)
}

/** The same of a host and a path. */
export const pageKeyOf = (host: string, path: string): string =>
  `${host.toLowerCase().replace(/^www\./, '')}${path.replace(/\/$/, '')}`

/** One day of each page: what a source counts under several addresses of one page is put together. */
export function withoutDoubles(days: readonly DayOfPage[]): DayOfPage[] {
  const found = new Map<string, DayOfPage>()
  for (const one of days) {
    const key = `${one.day} ${one.page ?? ''}`
    const known = found.get(key)
    found.set(key, known ? { ...one, figures: added(known.figures, one.figures) } : one)
  }
  return [...found.values()]
}

function added(a: WebFigures, b: WebFigures): WebFigures {
  const sum: WebFigures = {}
  for (const name of webFigureNames)
    if (a[name] !== undefined || b[name] !== undefined) sum[name] = (a[name] ?? 0) + (b[name] ?? 0)
  const place = meanPlace([a, b])
  return place === undefined ? sum : { ...sum, searchPlaceMilli: place }
}

/** Each place counts as often as it was shown. */
function meanPlace(parts: readonly WebFigures[]): number | undefined {
  let shown = 0
  let places = 0
  for (const { searchPlaceMilli, searchImpressions = 0 } of parts) {
    if (searchPlaceMilli === undefined) continue
    shown += searchImpressions
    places += searchPlaceMilli * searchImpressions
  }
  return shown === 0
    ? parts.find((one) => one.searchPlaceMilli !== undefined)?.searchPlaceMilli
    : Math.round(places / shown)
}
