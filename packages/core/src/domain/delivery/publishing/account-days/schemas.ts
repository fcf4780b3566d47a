import { z } from 'zod'
import { accountFigureNames } from './figures.ts'

const count = z.int().nonnegative().nullable()

/** What a platform has counted of the account of a channel on one day; null is what it does not count. */
export const AccountDayItem = z.object({
  /** `YYYY-MM-DD`, as the platform counts days. */
  day: z.string(),
  ...(Object.fromEntries(accountFigureNames.map((name) => [name, count])) as Record<
    (typeof accountFigureNames)[number],
    typeof count
  >),
})
export type AccountDayItem = z.output<typeof AccountDayItem>
