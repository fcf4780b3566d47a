import { z } from 'zod'
import { PublicationItem } from '../schemas.ts'
import { PageDay } from '../website/schemas.ts'
import { figureNames } from './figures.ts'

const count = z.int().nonnegative().nullable()

/** What a platform has counted of a post until a day; null is what it does not count. */
export const MetricsDay = z.object({
  /** `YYYY-MM-DD`, in UTC. */
  day: z.string(),
  ...(Object.fromEntries(figureNames.map((name) => [name, count])) as Record<
    (typeof figureNames)[number],
    typeof count
  >),
})
export type MetricsDay = z.output<typeof MetricsDay>

/**
 * A publication with what became of it, the newest day first; 93 days at most. `metrics` are what the platform counted of the post until
 * each day, `pageDays` what web analytics and the search console counted of its page on each day.
 */
export const PublicationView = PublicationItem.extend({
  metrics: z.array(MetricsDay),
  pageDays: z.array(PageDay),
})
export type PublicationView = z.output<typeof PublicationView>
