import { Cron } from 'croner'
import { invalid } from '../../../kernel/errors.ts'

/** When a cron expression is due in a zone. */
export interface Schedule {
  /** The last instant that was due up to and with `now`; undefined when there was none. */
  last(now: Date): Date | undefined
  /** The next instant after `now`; undefined when there is none. */
  next(now: Date): Date | undefined
}

/**
 * Where clocks are put forward, what would fall into the gap is due at its end; where they are put back, a fixed time is due
 * once, the first time, and what is due every hour goes on every hour.
 */
export function scheduleOf(cron: string, timezone: string): Schedule {
  const clockwork = new Cron(cron, { mode: '5-part', timezone })
  return {
    // Slots are whole minutes, and "previous" does not count the instant itself.
    last: (now) => clockwork.previousRuns(1, new Date(now.getTime() + 1_000))[0],
    next: (now) => clockwork.nextRun(now) ?? undefined,
  }
}

/**
 * @param now the schedule must have an instant after it
 * @throws DomainError `VALIDATION_ERROR` on `cron` when it is none of five fields, or never due
 */
export function checkCron(cron: string, now: Date): void {
  if (cron.trim().split(/\s+/).length > 5)
    throw invalid(
      'cron',
      'A cron expression has five fields (minute, hour, day, month, weekday): once a minute is the most',
    )
  let next: Date | undefined
  try {
    next = scheduleOf(cron, 'UTC').next(now)
  } catch (error) {
    throw invalid(
      'cron',
      `This is no cron expression: ${(error as Error).message.replace(/^CronPattern: /, '')}`,
    )
  }
  if (!next) throw invalid('cron', 'This is never due')
}
