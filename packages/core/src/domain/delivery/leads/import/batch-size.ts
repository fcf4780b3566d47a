/** How long one transaction should take, milliseconds: others write between two. */
const wantedMs = 40

const fewest = 250
const most = 4_000
const first = 500

/**
 * How many rows go into one transaction. A commit costs much the same for few and for many, and no one else writes before it: as many as one
 * of the wanted length takes on this machine, as busy as it is now.
 */
export function createBatchSize() {
  let rows = first
  return {
    get rows() {
      return rows
    },
    /** Does the work for `count` rows, and learns from how long it takes. */
    async timed<T>(count: number, work: () => Promise<T>): Promise<T> {
      const begun = performance.now()
      const result = await work()
      const fitting = (count * wantedMs) / Math.max(1, performance.now() - begun)
      // By steps: one transaction that waited long says little of the next.
      rows = Math.round(Math.min(Math.max(fitting, rows / 2, fewest), rows * 2, most))
      return result
    },
  }
}
