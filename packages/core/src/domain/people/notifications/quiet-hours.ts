/** Hours of a day in which no one wants to be disturbed, in a zone; they may go over midnight. */
export interface QuietHours {
  /** `HH:MM`, the first minute that is quiet. */
  from: string
  /** `HH:MM`, the first that is not any more. */
  to: string
  /** IANA zone. */
  timezone: string
}

const minuteMs = 60_000
/** Clocks are put forward and back at quarters of an hour only. */
const quarterMs = 15 * minuteMs
/** Minutes of a day. */
const dayMinutes = 1_440

/**
 * When the quiet hours that an instant lies in are over: the first moment at which the clock on the wall is outside of them. Where
 * the clock is put forward over their end they end with it; where it is put back into them they begin again.
 * @returns undefined outside of them
 */
export function quietUntil({ from, to, timezone }: QuietHours, now: Date): Date | undefined {
  const [start, end] = [minuteOf(from), minuteOf(to)]
  const wall = wallClock(timezone)
  const isQuiet = (minute: number) =>
    start < end ? minute >= start && minute < end : minute >= start || minute < end
  let at = Math.floor(now.getTime() / minuteMs) * minuteMs
  if (!isQuiet(wall(at))) return undefined
  for (let minute = wall(at); isQuiet(minute); minute = wall(at)) {
    const left = ((end - minute + dayMinutes) % dayMinutes) * minuteMs
    at += Math.min(left, quarterMs - (at % quarterMs))
  }
  return new Date(at)
}

function minuteOf(text: string): number {
  const [hours = 0, minutes = 0] = text.split(':').map(Number)
  return hours * 60 + minutes
}

/** Minutes since midnight that a clock on the wall shows at an instant. */
function wallClock(timeZone: string): (instant: number) => number {
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    hourCycle: 'h23',
    hour: '2-digit',
    minute: '2-digit',
  })
  return (instant) => minuteOf(format.format(instant))
}
