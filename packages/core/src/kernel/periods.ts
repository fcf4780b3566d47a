import { LRUCache } from 'lru-cache'

/** Calendar days are `YYYY-MM-DD` and belong to no zone; only "today" and "when does a day begin" ask for one. */

const dayMs = 86_400_000

/** The calendar day that an instant falls on in a zone. */
export function dayIn(instant: Date, timeZone: string): string {
  return dayFormat(timeZone).format(instant)
}

/** The instant at which clocks of a zone show a time of a day, in minutes since midnight; one that does not exist is near the gap. */
export function instantAt(day: string, minute: number, timeZone: string): Date {
  const utc = Date.parse(`${day}T00:00:00Z`) + minute * 60_000
  // The offset at the guess may differ from the one at the answer when the clocks change, so it is asked twice.
  const guess = utc - offsetMs(new Date(utc), timeZone)
  return new Date(utc - offsetMs(new Date(guess), timeZone))
}

/** The instant at which a day begins in a zone. */
export function startOfDay(day: string, timeZone: string): Date {
  const midnight = instantAt(day, 0, timeZone).getTime()
  // Where midnight does not exist, the day begins at its first moment; some days that a zone has left out begin with the next.
  for (let at = midnight; at <= midnight + 2 * dayMs; at += 15 * 60_000)
    if (dayIn(new Date(at), timeZone) >= day) return new Date(at)
  return new Date(midnight)
}

/** The instant at which the month that `instant` falls in began in a zone. */
export function monthStart(instant: Date, timeZone: string): Date {
  return startOfDay(`${dayIn(instant, timeZone).slice(0, 7)}-01`, timeZone)
}

/** The instant at which the month after that begins. */
export function nextMonthStart(instant: Date, timeZone: string): Date {
  return startOfDay(addDays(lastOfMonth(dayIn(instant, timeZone)), 1), timeZone)
}

/** An instant as clocks of a zone show it, `YYYY-MM-DDTHH:MM`. */
export function wallClock(instant: Date, timeZone: string): string {
  const local = new Date(Math.floor(instant.getTime() / 1000) * 1000 + offsetMs(instant, timeZone))
  return local.toISOString().slice(0, 16)
}

export function firstOfMonth(day: string): string {
  return `${day.slice(0, 7)}-01`
}

export function lastOfMonth(day: string): string {
  const [year, month] = day.split('-').map(Number) as [number, number]
  return new Date(Date.UTC(year, month, 0)).toISOString().slice(0, 10)
}

export function addDays(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + days * dayMs).toISOString().slice(0, 10)
}

/** Days from `from` to `to`, both counted. */
export function daysBetween(from: string, to: string): number {
  return Math.round((Date.parse(`${to}T00:00:00Z`) - Date.parse(`${from}T00:00:00Z`)) / dayMs) + 1
}

/** That many days from `first` on. Days are counted and never compared, so that no day makes it endless. */
export function daysFrom(first: string, count: number): string[] {
  return Array.from({ length: count }, (_, i) => addDays(first, i))
}

export interface PeriodDays {
  periodStart: string
  periodEnd: string
}

/**
 * The period that a day belongs to: its calendar month, cut to the campaign's dates.
 * @returns undefined when the campaign does not run on that day
 */
export function periodOf(
  day: string,
  campaign: { startDate: string | null; endDate: string | null },
): PeriodDays | undefined {
  const { startDate, endDate } = campaign
  if ((startDate && day < startDate) || (endDate && day > endDate)) return undefined
  const first = firstOfMonth(day)
  const last = lastOfMonth(day)
  return {
    periodStart: startDate && startDate > first ? startDate : first,
    periodEnd: endDate && endDate < last ? endDate : last,
  }
}

function offsetMs(instant: Date, timeZone: string): number {
  const parts = clockFormat(timeZone).formatToParts(instant)
  const part = (type: string) => Number(parts.find((found) => found.type === type)?.value)
  const local = Date.UTC(
    part('year'),
    part('month') - 1,
    part('day'),
    part('hour'),
    part('minute'),
    part('second'),
  )
  return local - Math.floor(instant.getTime() / 1000) * 1000
}

/** There are some 600 zones; names of one zone in other letters count apart. */
const mostFormats = 1_000

const dayFormat = perZone('en-CA', { year: 'numeric', month: '2-digit', day: '2-digit' })
const clockFormat = perZone('en-US', {
  hourCycle: 'h23',
  year: 'numeric',
  month: 'numeric',
  day: 'numeric',
  hour: 'numeric',
  minute: 'numeric',
  second: 'numeric',
})

/** Formats by their zone: making one costs thirty times as much as using it. */
function perZone(
  locale: string,
  parts: Intl.DateTimeFormatOptions,
): (timeZone: string) => Intl.DateTimeFormat {
  const known = new LRUCache<string, Intl.DateTimeFormat>({
    max: mostFormats,
    memoMethod: (timeZone) => new Intl.DateTimeFormat(locale, { ...parts, timeZone }),
  })
  return (timeZone) => known.memo(timeZone)
}
