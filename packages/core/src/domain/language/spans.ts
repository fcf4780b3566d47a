import { countIn, numberWord } from '@copydesk/language'
import { addDays, firstOfMonth, lastOfMonth } from '../../kernel/periods.ts'
import { isoDay } from '../../platform/wire.ts'

/** Days of a span in words, the last of them included, and how it is spoken of. */
export interface DaySpan {
  from: string
  to: string
  words: string
}

const months = 'january february march april may june july august september october november december'.split(
  ' ',
)
export const weekdays = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday']
const fullMonth = `(${months.filter((month) => month !== 'may').join('|')})`
const monthName = `(${months.map((month) => `${month}|${month.slice(0, 3)}`).join('|')})`
export const weekday = `(${weekdays.join('|')})`

/** 0 for Monday to 6 for Sunday. */
export function weekdayOf(day: string): number {
  return (new Date(`${day}T00:00:00Z`).getUTCDay() + 6) % 7
}

type Days = Pick<DaySpan, 'from' | 'to'>

/** The days of what a form has matched, as seen from today; undefined where there are none. */
type Resolve = (found: readonly (string | undefined)[], today: string) => DaySpan | undefined

const since = (from: string | undefined, today: string): DaySpan | undefined =>
  from !== undefined && from <= today ? { from, to: today, words: `since ${from}` } : undefined
const onDay = (day: string | undefined): DaySpan | undefined =>
  day === undefined ? undefined : { from: day, to: day, words: `on ${day}` }
const called =
  (words: string, days: (today: string) => Days): Resolve =>
  (_, today) => ({ ...days(today), words })

const mondayOf = (day: string) => addDays(day, -weekdayOf(day))
/** The last such weekday before today. */
const lastWeekday = (name: string | undefined, today: string) =>
  addDays(today, -((weekdayOf(today) - weekdays.indexOf(name ?? '') + 7) % 7 || 7))
const dayOfMonth = (day: string | undefined, month: string | undefined, today: string) =>
  validDay(`${firstOf(month ?? '', today).slice(0, 8)}${(day ?? '').padStart(2, '0')}`)
/** A day of a month that is named, the last time that it was. */
function pastDay(day: string | undefined, month: string | undefined, today: string): string | undefined {
  const found = dayOfMonth(day, month, today)
  if (found === undefined || found <= today) return found
  return validDay(`${Number(found.slice(0, 4)) - 1}${found.slice(4)}`)
}

const iso = '(\\d{4}-\\d\\d-\\d\\d)'
const day = '(\\d{1,2})(?:st|nd|rd|th)?'

/** How people speak of days that are over, and which days these are. The first form that matches counts. */
const spanForms: ReadonlyArray<readonly [RegExp, Resolve]> = [
  [
    new RegExp(`\\b(?:from|between) ${iso} (?:to|until|till|and) ${iso}`),
    ([, from, to]) => dated(validDay(from), validDay(to)),
  ],
  [new RegExp(`\\bsince (?:the )?${iso}`), ([, from], today) => since(validDay(from), today)],
  [
    new RegExp(`\\bsince (?:the )?${day}(?: of)? ${monthName}\\b`),
    ([, of, month], today) => since(pastDay(of, month, today), today),
  ],
  [
    new RegExp(`\\bsince ${monthName} (?:the )?${day}(?![\\d:-])\\b`),
    ([, month, of], today) => since(pastDay(of, month, today), today),
  ],
  [
    new RegExp(`\\bsince (?:last )?${weekday}\\b`),
    ([, name], today) => since(lastWeekday(name, today), today),
  ],
  [/\bsince yesterday\b/, (_, today) => since(addDays(today, -1), today)],
  [/\bsince last week\b/, (_, today) => since(addDays(mondayOf(today), -7), today)],
  [/\bsince last month\b/, (_, today) => since(firstOfMonth(addDays(firstOfMonth(today), -1)), today)],
  [new RegExp(`\\bsince ${monthName}\\b`), ([, month], today) => since(firstOf(month ?? '', today), today)],
  [new RegExp(`\\b(?:on )?${iso}`), ([, of]) => onDay(validDay(of))],
  [
    new RegExp(`\\b(?:on )?(?:the )?${day}(?: of)? ${monthName}\\b`),
    ([, of, month], today) => onDay(pastDay(of, month, today)),
  ],
  [
    new RegExp(`\\b(?:on )?${monthName} (?:the )?${day}(?![\\d:-])\\b`),
    ([, month, of], today) => onDay(pastDay(of, month, today)),
  ],
  [
    new RegExp(
      `\\b(?:in |over |during |for )?(?:the )?(?:last|past|previous) ${numberWord} (day|week|month)s?\\b`,
    ),
    ([, count, unit], today) => lastDays(count ?? '', unit ?? '', today),
  ],
  [/\byesterday\b/, called('yesterday', (today) => ({ from: addDays(today, -1), to: addDays(today, -1) }))],
  [/\b(?:so far )?today(?: so far)?\b/, called('today', (today) => ({ from: today, to: today }))],
  [
    /\b(?:in |over |during )?(?:the )?(?:last|previous) week\b/,
    called('last week', (today) => ({
      from: addDays(mondayOf(today), -7),
      to: addDays(mondayOf(today), -1),
    })),
  ],
  [
    /\b(?:in |over |during )?(?:this|the|current|the current) week\b|\bweek to date\b|^week$/,
    called('this week', (today) => ({ from: mondayOf(today), to: today })),
  ],
  [
    /\b(?:in |over |during )?(?:the )?past week\b/,
    called('in the last 7 days', (today) => ({ from: addDays(today, -6), to: today })),
  ],
  [
    /\b(?:in |over |during )?(?:the )?(?:last|previous|past) month\b/,
    called('last month', (today) => {
      const end = addDays(firstOfMonth(today), -1)
      return { from: firstOfMonth(end), to: end }
    }),
  ],
  [
    /\b(?:in |over |during )?(?:this|the|current|the current) month\b|\bmonth to date\b/,
    called('this month', (today) => ({ from: firstOfMonth(today), to: today })),
  ],
  [
    /\b(?:in |over |during )?(?:this|the current) year\b|\byear to date\b/,
    called('this year', (today) => ({ from: `${today.slice(0, 4)}-01-01`, to: today })),
  ],
  [
    /\b(?:in |over |during )?(?:the )?(?:last|previous) year\b/,
    called('last year', (today) => {
      const year = Number(today.slice(0, 4)) - 1
      return { from: `${year}-01-01`, to: `${year}-12-31` }
    }),
  ],
  [
    new RegExp(`\\b(?:in|during|for|of) ${monthName}\\b|\\b${fullMonth}\\b`),
    ([, named, bare], today) => monthOf(named ?? bare ?? '', today),
  ],
  [new RegExp(`\\b(?:on |last )${weekday}\\b`), ([, name], today) => onDay(lastWeekday(name, today))],
]

/** The forms in which days are spoken of, for anyone who looks for them. */
export const spanPatterns: readonly RegExp[] = spanForms.map(([form]) => form)

/**
 * The days that someone speaks of.
 * @param words in small letters, dates as they were written
 * @param today in the zone that days are counted in
 * @returns undefined when no time is named, or one that there is not
 */
export function spanIn(words: string, today: string): DaySpan | undefined {
  for (const [form, resolve] of spanForms) {
    const found = form.exec(words)
    if (found) return resolve(found, today)
  }
  return undefined
}

function lastDays(count: string, unit: string, today: string): DaySpan {
  const days = Math.ceil(countIn(count) * ({ day: 1, week: 7, month: 30 }[unit] ?? 1))
  return { from: addDays(today, 1 - Math.max(1, days)), to: today, words: `in the last ${days} days` }
}

function monthOf(name: string, today: string): DaySpan {
  const first = firstOf(name, today)
  const end = lastOfMonth(first)
  return { from: first, to: end < today ? end : today, words: `in ${months[Number(first.slice(5, 7)) - 1]}` }
}

function dated(from: string | undefined, to: string | undefined): DaySpan | undefined {
  return from && to && from <= to ? { from, to, words: `from ${from} to ${to}` } : undefined
}

/** The first day of a month that is named, the last time that it was. */
function firstOf(name: string, today: string): string {
  const index = months.findIndex((month) => month.startsWith(name.slice(0, 3)))
  const first = `${today.slice(0, 4)}-${String(index + 1).padStart(2, '0')}-01`
  return first <= today ? first : `${Number(today.slice(0, 4)) - 1}${first.slice(4)}`
}

/** A day that there is and that can be kept, or undefined. */
export function validDay(text: string | undefined): string | undefined {
  return isoDay.safeParse(text).data
}
