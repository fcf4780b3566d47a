/**
 * First come, first served, and one in each turn of the event loop: what holds it blocks the loop, so connections, streams and
 * timers have their turn before the next one.
 */
export interface Mutex {
  /** @returns the function that lets the next one in; call it exactly once */
  acquire(): Promise<() => void>
}

export function createMutex(): Mutex {
  const waiting: Array<() => void> = []
  let held = false
  const handOver = () => {
    const next = waiting.shift()
    if (next) next()
    else held = false
  }
  const release = () => void setImmediate(handOver)
  return {
    async acquire() {
      if (held) await new Promise<void>((resolve) => waiting.push(resolve))
      held = true
      return release
    },
  }
}
