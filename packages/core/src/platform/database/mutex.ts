/** First come, first served. */
export interface Mutex {
  /** @returns the function that lets the next one in; call it exactly once */
  acquire(): Promise<() => void>
}

export function createMutex(): Mutex {
  const waiting: Array<() => void> = []
  let held = false
  const release = () => {
    const next = waiting.shift()
    if (next) next()
    else held = false
  }
  return {
    async acquire() {
      if (held) await new Promise<void>((resolve) => waiting.push(resolve))
      held = true
      return release
    },
  }
}
