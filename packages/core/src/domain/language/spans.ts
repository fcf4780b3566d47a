import { isInstantInRange, isoDay } from '../../platform/wire.ts'
import { addDays, firstOfMonth, instantAt, lastOfMonth } from '../campaigns/periods.ts'
import { lengthOfTime, minutesIn } from './slots.ts'

/** Days of a span in words, the last of them included, and how it is spoken of. */
export interface DaySpan {
  from: string
  to: string
  words: string
}

const months = 'january february march april may june july august september october november december'.split(
  ' ',
)
const weekdays = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday']
const monthName = `(${months.map((month) => `${month}|${month.slice(0, 3)}`).join('|')})`
const weekday = `(${weekdays.join('|')})`

/** 0 for Monday to 6 for Sunday. */
function weekdayOf(day: string): number {
  return (new Date(`${day}T00:00:00Z`).getUTCDay() + 6) % 7
}

/**
 * The days that somebody speaks of.
 * @param words in small letters, dates as they were written
 * @param today in the zone that days are counted in
 * @returns undefined when no time is named
 */
export function spanIn(words: string, today: string): DaySpan | undefined {
  const range = /\b(?:from|between) (\d{4}-\d\d-\d\d) (?:to|until|till|and) (\d{4}-\d\d-\d\d)\b/.exec(words)
  if (range) return dated(validDay(range[1]), validDay(range[2]))
  const since = sinceWhen(words, today)
  if (since) return { from: since, to: today, words: `since ${since}` }
  const day = validDay(/\b(\d{4}-\d\d-\d\d)\b/.exec(words)?.[1])
  if (day) return { from: day, to: day, words: `on ${day}` }
  const last = /\b(?:last|past|previous) (\d{1,3}) (day|week|month)s?\b/.exec(words)
  if (last) {
    const days = Math.min(365, Number(last[1]) * ({ day: 1, week: 7, month: 30 }[last[2] ?? 'day'] ?? 1))
    return { from: addDays(today, 1 - Math.max(1, days)), to: today, words: `in the last ${days} days` }
  }
  const monday = addDays(today, -weekdayOf(today))
  const lastMonth = addDays(firstOfMonth(today), -1)
  if (/\byesterday\b/.test(words))
    return { from: addDays(today, -1), to: addDays(today, -1), words: 'yesterday' }
  if (/\btoday\b/.test(words)) return { from: today, to: today, words: 'today' }
  if (/\b(?:last|previous) week\b/.test(words))
    return { from: addDays(monday, -7), to: addDays(monday, -1), words: 'last week' }
  if (/\b(?:past week|week)\b/.test(words)) return { from: monday, to: today, words: 'this week' }
  if (/\b(?:last|previous|past) month\b/.test(words))
    return { from: firstOfMonth(lastMonth), to: lastMonth, words: 'last month' }
  if (/\b(?:this year|year to date)\b/.test(words))
    return { from: `${today.slice(0, 4)}-01-01`, to: today, words: 'this year' }
  const named = new RegExp(`\\b(?:in|during|for|of) ${monthName}\\b`).exec(words)
  if (named) {
    const first = firstOf(named[1] ?? '', today)
    const end = lastOfMonth(first)
    return {
      from: first,
      to: end < today ? end : today,
      words: `in ${months[Number(first.slice(5, 7)) - 1]}`,
    }
  }
  if (/\bmonth\b/.test(words)) return { from: firstOfMonth(today), to: today, words: 'this month' }
  return undefined
}

function dated(from: string | undefined, to: string | undefined): DaySpan | undefined {
  return from && to && from <= to ? { from, to, words: `from ${from} to ${to}` } : undefined
}

function sinceWhen(words: string, today: string): string | undefined {
  const day = validDay(/\bsince (?:the )?(\d{4}-\d\d-\d\d)\b/.exec(words)?.[1])
  if (day) return day < today ? day : today
  const name = new RegExp(`\\bsince (?:last )?${weekday}\\b`).exec(words)?.[1]
  if (name) return addDays(today, -((weekdayOf(today) - weekdays.indexOf(name) + 7) % 7 || 7))
  if (/\bsince yesterday\b/.test(words)) return addDays(today, -1)
  if (/\bsince last week\b/.test(words)) return addDays(today, -weekdayOf(today) - 7)
  const dayOfMonth = new RegExp(`\\bsince (?:the )?(\\d{1,2})(?:st|nd|rd|th)?(?: of)? ${monthName}\\b`).exec(
    words,
  )
  if (dayOfMonth) {
    const first = firstOf(dayOfMonth[2] ?? '', today)
    const day = validDay(`${first.slice(0, 8)}${(dayOfMonth[1] ?? '').padStart(2, '0')}`)
    return day && day <= today ? day : undefined
  }
  const month = new RegExp(`\\bsince ${monthName}\\b`).exec(words)?.[1]
  return month && firstOf(month, today)
}

/** The first day of a month that is named, the last time that it was. */
function firstOf(name: string, today: string): string {
  const index = months.findIndex((month) => month.startsWith(name.slice(0, 3)))
  const first = `${today.slice(0, 4)}-${String(index + 1).padStart(2, '0')}-01`
  return first <= today ? first : `${Number(today.slice(0, 4)) - 1}${first.slice(4)}`
}

function validDay(text: string | undefined): string | undefined {
  return isoDay.safeParse(text).data
}

/** When somebody's working day begins, minutes since midnight. */
const morning = 9 * 60

/**
 * Until when something is to be put aside.
 * @param today in `zone`
 * @returns undefined when no time is named, or one that is over
 */
export function untilIn(words: string, now: Date, today: string, zone: string): Date | undefined {
  const length = new RegExp(`\\b(?:for|in) ${lengthOfTime}\\b`).exec(words)
  if (length)
    return later(new Date(now.getTime() + minutesIn(length[1] ?? '', length[2] ?? '') * 60_000), now)
  const exact = /\b(\d{4}-\d\d-\d\dt\d\d:\d\d(?::\d\d)?(?:\.\d+)?z)\b/.exec(words)?.[1]
  if (exact) return later(new Date(exact.toUpperCase()), now)
  const clock = /\b(?:at |until |till )?(\d{1,2})(?::(\d\d))? ?(am|pm|o clock|h)\b|\b(\d{1,2}):(\d\d)\b/.exec(
    words,
  )
  const said = Number(clock?.[1] ?? clock?.[4] ?? -1)
  const hour =
    clock?.[3] === 'pm' || clock?.[3] === 'am' ? (said % 12) + (clock[3] === 'pm' ? 12 : 0) : said % 24
  const minute = clock ? hour * 60 + Math.min(59, Number(clock[2] ?? clock[5] ?? 0)) : undefined
  const day = dayAhead(words, today)
  if (day) return later(instantAt(day, minute ?? morning, zone), now)
  if (minute === undefined) return undefined
  const at = instantAt(today, minute, zone)
  return at > now ? at : instantAt(addDays(today, 1), minute, zone)
}

function dayAhead(words: string, today: string): string | undefined {
  const day = validDay(/\b(\d{4}-\d\d-\d\d)\b/.exec(words)?.[1])
  if (day) return day
  if (/\btomorrow\b/.test(words)) return addDays(today, 1)
  if (/\bnext week\b/.test(words)) return addDays(today, 7 - weekdayOf(today))
  const name = new RegExp(`\\b${weekday}\\b`).exec(words)?.[1]
  if (name) return addDays(today, (weekdays.indexOf(name) - weekdayOf(today) + 7) % 7 || 7)
  return undefined
}

function later(at: Date, now: Date): Date | undefined {
  return isInstantInRange(at.getTime()) && at > now ? at : undefined
}
