import { addDays, dayIn, lastOfMonth, startOfDay } from '../../../../kernel/periods.ts'
import type { BillingCycle } from '../plans/entities.ts'

/** Months of a cycle. */
export const monthsOf: Record<BillingCycle, number> = { monthly: 1, quarterly: 3, annual: 12 }

/** That many months after a day; the last day of a shorter month where it has no such day. */
export function addMonths(day: string, months: number): string {
  const [year, month] = day.split('-').map(Number) as [number, number]
  const first = new Date(Date.UTC(year, month - 1 + months, 1)).toISOString().slice(0, 10)
  const same = `${first.slice(0, 7)}-${day.slice(8)}`
  const last = lastOfMonth(first)
  return same < last ? same : last
}

/** A tenant that moves to another zone is up to 26 hours away from the first of the month that it was billed on. */
const nearFirstMs = 15 * 86_400_000

/**
 * The first of the month some months after a billing day in a zone. A billing day is the first of a month in the zone that the tenant
 * had then; it may be another day in the present one.
 */
export function billingDayAfter(billedAt: Date, months: number, timeZone: string): Date {
  const within = dayIn(new Date(billedAt.getTime() + nearFirstMs), timeZone)
  return startOfDay(addMonths(`${within.slice(0, 7)}-01`, months), timeZone)
}

/** The whole period that `instant` lies in when a cycle begins with the calendar month, in a zone. */
export function cycleFrom(instant: Date, cycle: BillingCycle, timeZone: string) {
  const first = `${dayIn(instant, timeZone).slice(0, 7)}-01`
  return {
    start: startOfDay(first, timeZone),
    end: startOfDay(addMonths(first, monthsOf[cycle]), timeZone),
  }
}

/** Whole days between the days of two instants in a zone. */
export function daysSince(from: Date, to: Date, timeZone: string): number {
  const ms = Date.parse(`${dayIn(to, timeZone)}T00:00:00Z`) - Date.parse(`${dayIn(from, timeZone)}T00:00:00Z`)
  return Math.round(ms / 86_400_000)
}

/** The last day of a period as people say it. */
export function lastDay(end: Date, timeZone: string): string {
  return addDays(dayIn(end, timeZone), -1)
}
