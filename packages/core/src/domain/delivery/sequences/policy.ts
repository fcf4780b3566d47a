import { addDays, dayIn, instantAt, wallClock } from '../../../kernel/periods.ts'
import { sha256Hex } from '../../../platform/crypto/hash.ts'

/** How many mails of one sequence go out in a minute at most: one turn sends them. */
export const perTurn = 100
export const turnMs = 60_000
/** How many leads one transaction takes in. */
export const perReading = 500
/** How often new leads are looked for while a sequence waits for subscribers, milliseconds. */
export const lookMs = 5 * 60_000

/** What is approved of a step, and may be sent. */
export const hashOf = ({ subject, body }: { subject: string; body: string }) =>
  sha256Hex(JSON.stringify([subject, body]))

/** What stands for all mails of a sequence and their delays, in order: an activation may name what was seen. */
export const hashOfSteps = (steps: readonly { subject: string; body: string; delay: number }[]) =>
  sha256Hex(JSON.stringify(steps.map(({ subject, body, delay }) => [subject, body, delay])))

/** So many days later, at the same time by the clocks of the zone. */
export function daysLater(from: Date, days: number, timeZone: string): Date {
  if (days === 0) return from
  const [, time = '00:00'] = wallClock(from, timeZone).split('T')
  const [hours = 0, minutes = 0] = time.split(':').map(Number)
  return instantAt(addDays(dayIn(from, timeZone), days), hours * 60 + minutes, timeZone)
}
