/** Calendar days are `YYYY-MM-DD` and belong to no zone; only "today" and "when does a day begin" ask for one. */

/** The calendar day that an instant falls on in a zone. */
export function dayIn(instant: Date, timeZone: string): string {
  const parts = new Intl.DateTimeFormat('en-CA', {
    timeZone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  })
  return parts.format(instant)
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
  let guess = instantAt(day, 0, timeZone).getTime()
  // Where midnight does not exist, the day begins at its first moment.
  while (dayIn(new Date(guess), timeZone) < day) guess += 15 * 60_000
  return new Date(guess)
}

/** The instant at which the month that `instant` falls in began in a zone. */
export function monthStart(instant: Date, timeZone: string): Date {
  return startOfDay(`${dayIn(instant, timeZone).slice(0, 7)}-01`, timeZone)
}

/** The instant at which the month after that begins. */
export function nextMonthStart(instant: Date, timeZone: string): Date {
  return startOfDay(addDays(lastOfMonth(dayIn(instant, timeZone)), 1), timeZone)
}

export function firstOfMonth(day: string): string {
  return `${day.slice(0, 7)}-01`
}

export function lastOfMonth(day: string): string {
  const [year, month] = day.split('-').map(Number) as [number, number]
  return new Date(Date.UTC(year, month, 0)).toISOString().slice(0, 10)
}

export function addDays(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10)
}

/** Days from `from` to `to`, both counted. */
export function daysBetween(from: string, to: string): number {
  return Math.round((Date.parse(`${to}T00:00:00Z`) - Date.parse(`${from}T00:00:00Z`)) / 86_400_000) + 1
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
  const parts = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  }).formatToParts(instant)
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
