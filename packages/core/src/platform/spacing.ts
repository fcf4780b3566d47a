/**
 * Makes turns that come in a row wait for each other, so that each finds more to do: the first after a rest begins at once. By the
 * time of the machine, since it is about load.
 * @returns waits until so many milliseconds have passed since the last turn began, which it was called for
 */
export function createSpacing(): (ms: number) => Promise<void> {
  let last = Number.NEGATIVE_INFINITY
  return async (ms) => {
    const wait = last + ms - performance.now()
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait))
    last = performance.now()
  }
}
