import type { ConnectionRow, SpentLimits } from '../../accounts/channels/entities.ts'
import type { Limit } from './connector.ts'

/**
 * Spends one of each limit of a connection, before the platform is asked.
 * @returns undefined when it was spent; else when there is something left again, and nothing was spent
 */
export function spendLimits(
  connection: Pick<ConnectionRow, 'limits' | 'waitsUntil'>,
  limits: readonly Limit[],
  now: number,
): Date | undefined {
  const { waitsUntil } = connection
  if (waitsUntil && waitsUntil.getTime() > now) return waitsUntil
  const known = Object.entries(connection.limits ?? {}).filter(([, { until }]) => until > now)
  const left: Record<string, { left: number; until: number }> = Object.fromEntries(known)
  for (const { name, max, perS } of limits) left[name] ??= { left: max, until: now + perS * 1_000 }
  const empty = Object.values(left).filter((one) => one.left <= 0)
  if (empty.length > 0) return new Date(Math.max(...empty.map(({ until }) => until)))
  for (const { name } of limits) {
    const { left: rest, until } = left[name] as SpentLimits[string]
    left[name] = { left: rest - 1, until }
  }
  connection.limits = left
  return undefined
}

/** Notes what a platform has said in its answers; it knows better than we have counted. */
export function noteLimits(
  connection: Pick<ConnectionRow, 'limits'>,
  said: Readonly<Record<string, { left: number; until: Date }>>,
): void {
  const heard = Object.entries(said).map(([name, { left, until }]) => [
    name,
    { left, until: until.getTime() },
  ])
  if (heard.length > 0) connection.limits = { ...connection.limits, ...Object.fromEntries(heard) }
}
