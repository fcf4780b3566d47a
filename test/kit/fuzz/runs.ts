import { describeSurfaces } from '../../../packages/core/src/surfaces/describe.ts'
import { dialect } from '../database.ts'

/** `COPYDESK_FUZZ=long` plays many cases an endpoint; `COPYDESK_FUZZ_SEED` starts from another number. */
export const isLong = process.env['COPYDESK_FUZZ'] === 'long'

export const seed = Number(process.env['COPYDESK_FUZZ_SEED'] ?? 20_260_410)

/**
 * How many cases an endpoint gets.
 * @param long in the long mode
 * @param altogether else, over all endpoints; on PostgreSQL half of them
 */
export function runs(long: number, altogether: number): number {
  const share = (dialect === 'sqlite' ? altogether : altogether / 2) / describeSurfaces().length
  return isLong ? long : Math.max(2, Math.floor(share))
}
