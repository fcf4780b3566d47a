import { UsageError } from './invocation.ts'

const unitMs: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 }

/** The earliest instant that servers reject. */
const afterLast = Date.UTC(3_000, 0, 1)

/** What an instant is given as, for the help. */
export const instantForms = 'an instant, or a duration from now: 30m, 4h, 2d'

/** An ISO instant from an instant or a duration from now: `30m`, `4h`, `2d`. @throws UsageError */
export function instantOf(option: string, text: string, now: number): string {
  const ahead = /^(\d{1,6})([mhd])$/.exec(text)
  const at = ahead ? now + Number(ahead[1]) * (unitMs[ahead[2] ?? ''] ?? 0) : Date.parse(text)
  if (!(at >= 0 && at < afterLast) || (!ahead && !/^\d{4}-\d{2}-\d{2}/.test(text)))
    throw new UsageError(
      `--${option} must be an instant before the year 3000 such as 2026-04-11T09:00:00Z, or 30m, 4h, 2d`,
      option,
    )
  return new Date(at).toISOString()
}
