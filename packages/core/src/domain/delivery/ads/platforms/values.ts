import { z } from 'zod'
import { isoDay } from '../../../../platform/wire.ts'
import { decimalsOf } from '../../../accounts/billing/amounts.ts'
import { isTimeZone } from '../../../accounts/tenants/tenants.ts'

/** A decimal number as a text, such as `12.34`, in millionths: up to nine billion, since there are currencies of small units. */
export const decimalMicros = z
  .string()
  .regex(/^\d{1,10}(?:\.\d{1,20})?$/)
  .transform((text) => Math.round(Number(text) * 1_000_000))
  .refine(Number.isSafeInteger)

/** The day that a time of a platform begins with, in the zone that it has; null where it is none. */
export const dayOf = (time: string | undefined): string | null =>
  isoDay.safeParse(time?.slice(0, 10)).data ?? null

/** The smallest unit of a currency, in millionths. */
export const smallestUnit = (currency: string): number => 10 ** (6 - decimalsOf(currency))

/** The zone that an account's days are in; one that is not known here counts as UTC. */
export const accountZone = (name: string): string => (isTimeZone(name) ? name : 'UTC')

/**
 * What a budget of a whole span counts for on a day; all of it where the span is not known.
 * @param start milliseconds since the epoch, as `end`; NaN where there is none
 */
export function budgetPerDay(total: number, start: number, end: number): number {
  const days = (end - start) / 86_400_000
  return Math.ceil(total / (days > 1 ? days : 1))
}
