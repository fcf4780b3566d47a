import { addDays, dayIn, daysBetween, instantAt } from '../../../kernel/periods.ts'

/** When a tenant's people work, by the clocks of its zone. */
export interface WorkingHours {
  /** 1 is Monday, 7 is Sunday. */
  days: readonly number[]
  /** Minutes since midnight; `from` comes before `until`. */
  from: number
  until: number
}

export const officeHours: WorkingHours = { days: [1, 2, 3, 4, 5], from: 9 * 60, until: 18 * 60 }

/** 1 for Monday to 7 for Sunday. */
function weekday(day: string): number {
  return new Date(`${day}T00:00:00Z`).getUTCDay() || 7
}

/**
 * The instant at which so much working time has passed since another. Days on which clocks are changed are as long as they are.
 * @param workMs milliseconds
 * @param limit where the search ends, and the answer when it is not found before
 */
export function dueAfter(
  since: Date,
  workMs: number,
  { days, from, until }: WorkingHours,
  timeZone: string,
  limit: Date,
): Date {
  let left = workMs
  const first = dayIn(since, timeZone)
  const most = daysBetween(first, dayIn(limit, timeZone))
  for (let i = 0; i < most; i += 1) {
    const day = addDays(first, i)
    const begin = Math.max(instantAt(day, from, timeZone).getTime(), since.getTime())
    if (begin >= limit.getTime()) return limit
    if (!days.includes(weekday(day))) continue
    const there = Math.max(0, instantAt(day, until, timeZone).getTime() - begin)
    if (left <= there) return new Date(Math.min(begin + left, limit.getTime()))
    left -= there
  }
  return limit
}
