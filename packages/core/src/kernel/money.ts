import { z } from 'zod'

const MICROS = 1_000_000

/** US dollars as they stand on the wire; integers of micro-dollars inside. */
export function toUsd(micros: number): number {
  return micros / MICROS
}

/** @param usd a number of dollars with at most six decimals, as `usdAmount` lets through */
export function toMicros(usd: number): number {
  return Math.round(usd * MICROS)
}

/** An amount that people set: zero or more dollars, to the micro-dollar. */
export const usdAmount = z
  .number()
  .min(0)
  .max(1_000_000_000)
  .refine((usd) => toUsd(toMicros(usd)) === usd, 'At most six decimals')
