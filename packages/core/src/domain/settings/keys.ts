import type { Ctx } from '../context.ts'
import { visitSealed } from './sealed.ts'

/**
 * Encrypts everything anew that is sealed with another key than the current one. May be broken off and done again, and
 * goes on while the installation works.
 * @returns how many texts were sealed anew
 */
export async function reseal(ctx: Ctx): Promise<number> {
  const { box } = ctx.services
  let count = 0
  await visitSealed(ctx, (sealed, aad) => {
    if (!box.needsRotation(sealed)) return undefined
    count += 1
    return box.seal(box.open(sealed, aad), aad)
  })
  return count
}

/** How many sealed texts each encryption key still has to open, by the id of the key. */
export async function keysInUse(ctx: Ctx): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  await visitSealed(ctx, (sealed) => {
    const id = ctx.services.box.keyOf(sealed)
    counts[id] = (counts[id] ?? 0) + 1
    return undefined
  })
  return counts
}
