import type { Clock } from './clock.ts'

/** How old a value may be, milliseconds. */
export interface Freshness {
  clock: Clock
  /** Until then it is given as it is. */
  freshMs: number
  /** Until then it is given as well, while a new one is made. */
  staleMs: number
}

/**
 * A value that many ask for and that is made for all of them: never twice at the same time, and no more often than `freshMs` says.
 * @returns a function that gives the value, made by the work of anyone who asks when it is due; what it throws goes to all who wait
 */
export function createCoalesced<T>({
  clock,
  freshMs,
  staleMs,
}: Freshness): (work: () => Promise<T>) => Promise<T> {
  let last: { value: T; at: number } | undefined
  let making: Promise<T> | undefined
  const make = async (work: () => Promise<T>): Promise<T> => {
    try {
      const value = await work()
      last = { value, at: clock.now() }
      return value
    } finally {
      making = undefined
    }
  }
  return async (work) => {
    const age = last ? clock.now() - last.at : Number.POSITIVE_INFINITY
    if (last && age >= 0 && age < freshMs) return last.value
    making ??= make(work)
    if (!last || age < 0 || age >= staleMs) return making
    // Anyone who asks next is told of it.
    making.catch(() => undefined)
    return last.value
  }
}
