import { z } from 'zod'

const count = z.int().nonnegative().nullable()

/** What was counted of a page on one day; null is what no connected source counts. */
export const PageDay = z.object({
  /** `YYYY-MM-DD`, as the source counts days. */
  day: z.string(),
  views: count,
  sessions: count,
  visitors: count,
  keyEvents: count,
  searchImpressions: count,
  searchClicks: count,
  /** The mean place among the results of the search engine; 1 is the first one. */
  searchPlace: z.number().nullable(),
})
export type PageDay = z.output<typeof PageDay>
