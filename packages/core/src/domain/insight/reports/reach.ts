type Counted = number | null

/** What became of a tenant's work; null is what no platform and no source counts. */
export interface Reach {
  /** Pieces that went out. */
  published: number
  impressions?: Counted
  /** Reactions, comments and shares. */
  responses?: Counted
  clicks?: Counted
  deliveries?: Counted
  opens?: Counted
  views?: Counted
  sessions?: Counted
  keyEvents?: Counted
  searchImpressions?: Counted
  searchClicks?: Counted
  /** Of pages as a whole, and of places on a map. */
  pageViews?: Counted
  engagements?: Counted
  newFollowers?: Counted
  placeViews?: Counted
  websiteClicks?: Counted
  calls?: Counted
  directions?: Counted
}

/** The part of a report that says what became of the work, in Markdown; none where nothing is known. */
export function reachLines(reach: Reach): string[] {
  const { published, impressions, responses, clicks, deliveries, opens } = reach
  const { views, sessions, keyEvents, searchImpressions, searchClicks } = reach
  const { pageViews, engagements, newFollowers, placeViews, websiteClicks, calls, directions } = reach
  return [
    ...(published > 0 ? [`- Published: ${counted(published, 'piece')}`] : []),
    ...line('Posts', [
      [impressions, 'impression'],
      [responses, 'response'],
      [clicks, 'click'],
    ]),
    ...line('Mails', [
      [deliveries, 'delivery', 'deliveries'],
      [opens, 'open'],
    ]),
    ...line('Website', [
      [views, 'view'],
      [sessions, 'session'],
      [keyEvents, 'key event'],
    ]),
    ...line('Search', [
      [searchImpressions, 'impression'],
      [searchClicks, 'click'],
    ]),
    ...line('Page', [
      [pageViews, 'view'],
      [engagements, 'engagement'],
      [newFollowers, 'new follower'],
    ]),
    ...line('Place', [
      [placeViews, 'view'],
      [websiteClicks, 'click to the website', 'clicks to the website'],
      [calls, 'call'],
      [directions, 'request for the way', 'requests for the way'],
    ]),
  ]
}

type Figure = readonly [value: Counted | undefined, one: string, many?: string]

function line(title: string, figures: readonly Figure[]): string[] {
  const known = figures.flatMap(([value, one, many]) =>
    value === null || value === undefined ? [] : [counted(value, one, many)],
  )
  return known.length === 0 ? [] : [`- ${title}: ${known.join(', ')}`]
}

const counted = (value: number, one: string, many = `${one}s`) =>
  `${String(value).replace(/\B(?=(\d{3})+$)/g, ',')} ${value === 1 ? one : many}`
