/** Failed attempts in a row after which a receiver is given up until a person enables it again. */
export const mostFailures = 20

/** Attempts of one message; another one may get through meanwhile, so a receiver is not given up by it alone. */
export const mostAttempts = 10

/** How long messages are signed with the secret of before as well, when there is another; milliseconds. */
export const overlapMs = 24 * 3_600_000

const seconds = [5, 30, 120, 600, 1_800, 3_600]

/**
 * How long a receiver rests after so many failed attempts in a row, milliseconds: 5 s at first, an hour at the most. A message
 * that is tried again waits as long.
 * @param failures from 1
 */
export function restMs(failures: number): number {
  return (seconds[Math.min(failures, seconds.length) - 1] ?? 0) * 1_000
}
