import { lengthOfTime, minutesIn } from '@copydesk/language'
import { addDays, instantAt } from '../../kernel/periods.ts'
import { isInstantInRange } from '../../platform/wire.ts'
import { validDay, weekday, weekdayOf, weekdays } from './spans.ts'

const clockTime = "\\d{1,2}(?::\\d\\d)? ?(?:am|pm|o'?clock|h)|\\d{1,2}:\\d\\d"
const dayAheadWords = `tomorrow|next week|(?:next )?${weekday}|\\d{4}-\\d\\d-\\d\\d(?:t[\\d:.]+z)?`

/** The forms in which people say until when, for anyone who looks for them. */
export const untilPatterns: readonly RegExp[] = [
  new RegExp(`\\b(?:for|in) ${lengthOfTime}\\b`),
  new RegExp(
    `\\b(?:(?:until|till|to|on|by|at) )?(?:${dayAheadWords})(?: (?:at )?(?:${clockTime}))?(?![\\w:])`,
  ),
  new RegExp(`\\b(?:(?:until|till|at|by) )?(?:${clockTime})(?![\\w:])`),
]

/** When someone's working day begins, minutes since midnight. */
const morning = 9 * 60

/**
 * Until when something is to be put aside.
 * @param today in `zone`
 * @returns undefined when no time is named, or one that is over
 */
export function untilIn(words: string, now: Date, today: string, zone: string): Date | undefined {
  const length = new RegExp(`\\b(?:for|in) ${lengthOfTime}\\b`).exec(words)
  if (length) return new Date(now.getTime() + minutesIn(length[1] ?? '', length[2] ?? '') * 60_000)
  const exact = /\b(\d{4}-\d\d-\d\dt\d\d:\d\d(?::\d\d)?(?:\.\d+)?z)\b/.exec(words)?.[1]
  if (exact && !Number.isNaN(Date.parse(exact))) return later(new Date(exact.toUpperCase()), now)
  const clock =
    /\b(?:at |until |till )?(\d{1,2})(?::(\d\d))? ?(am|pm|o'? ?clock|h)\b|\b(\d{1,2}):(\d\d)\b/.exec(words)
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
