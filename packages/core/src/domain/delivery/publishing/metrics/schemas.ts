import { z } from 'zod'
import { PublicationItem } from '../schemas.ts'
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

/** A publication with what became of it, the newest day first; 93 days at most. */
export const PublicationView = PublicationItem.extend({ metrics: z.array(MetricsDay) })
export type PublicationView = z.output<typeof PublicationView>
