import type { Dialect } from '../../../../platform/database/database.ts'

/**
 * How long one transaction should take, milliseconds. On SQLite no one else writes meanwhile, on PostgreSQL no one else makes leads of the
 * tenant.
 */
const wantedMs: Readonly<Record<Dialect, number>> = { sqlite: 40, postgresql: 160 }

const fewest = 250
const most = 4_000
const first = 500

/**
 * How many rows go into one transaction. A commit costs much the same for few and for many, and others wait for it: as many as one of the
 * wanted length takes on this machine, as busy as it is now.
 */
export function createBatchSize(dialect: Dialect) {
  let rows = first
  return {
    get rows() {
      return rows
    },
    /** Does the work for `count` rows, and learns from how long it takes. */
    async timed<T>(count: number, work: () => Promise<T>): Promise<T> {
      const begun = performance.now()
      const result = await work()
      const fitting = (count * wantedMs[dialect]) / Math.max(1, performance.now() - begun)
      // By steps: one transaction that waited long says little of the next.
      rows = Math.round(Math.min(Math.max(fitting, rows / 2, fewest), rows * 2, most))
      return result
    },
  }
}
