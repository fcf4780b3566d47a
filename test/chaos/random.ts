/** Numbers from 0 to 1 that are the same for the same seed (mulberry32). */
export type Random = () => number

export function randomFrom(seed: number): Random {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** A seed from the environment, or a new one; printed, so that a run can be had again. */
export function chosenSeed(): number {
  const seed = Number(process.env['CHAOS_SEED'] ?? Date.now() % 1_000_000)
  console.log(`seed ${seed} (set CHAOS_SEED to run it again)`)
  return seed
}
