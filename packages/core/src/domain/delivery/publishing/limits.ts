import type { ConnectionRow, SpentLimits } from '../../accounts/channels/entities.ts'
import type { PlatformError } from '../../accounts/channels/platform-error.ts'
import type { Limit } from './connector.ts'
import { waitMs } from './policy.ts'

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

/**
 * Notes how a turn at a platform has ended.
 * @returns when it may be asked again, where it has had too many requests: as it says, else later each time in a row
 */
export function waitOfRefusal(
  connection: Pick<ConnectionRow, 'waitsUntil' | 'throttled'> | null,
  failure: Pick<PlatformError, 'kind' | 'until'> | undefined,
  now: number,
): Date | undefined {
  const isRefused = failure?.kind === 'quota'
  const times = isRefused ? (connection?.throttled ?? 0) + 1 : 0
  const until = isRefused ? (failure.until ?? new Date(now + waitMs(times))) : undefined
  if (connection) {
    connection.throttled = times
    if (until) connection.waitsUntil = until
  }
  return until
}
