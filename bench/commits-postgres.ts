import { scratchFolder } from '../config/scratch.ts'
import { type Bench, expectEqual, interleave, type Metric, type Metrics, more } from './measure.ts'
import { inDatabase, onServer, startDurableServer } from './postgres.ts'
import { startSubject, temporaryFolder } from './processes.ts'

const delays = [0, 2, 5]
const writers = [1, 4, 8, 16]
/** Those of the controls, at the longest delay. */
const controls = {
  locked: 'an advisory lock until the commit',
  notified: 'a notification in the transaction',
}
const peer = 'the same statements by hand, no event'
const aim = '0.7 with 8 writers'

/**
 * Transactions that write a row and append an event, on a PostgreSQL whose commits take some milliseconds. The rate grows with
 * the number of writers only while none waits for the commit of another. The controls hold a lock until the commit: their rate
 * does not grow.
 *
 * The leader of a group commit sleeps for `commit_delay` before it flushes; with `commit_siblings` 0 it always does.
 */
export const commitsOnPostgres: Bench = {
  name: 'commits.postgres',
  async run() {
    // In memory where there is room, so that a commit takes as long as is set, and no disk of others counts.
    const server = await startDurableServer(['commit_siblings=0'], scratchFolder())
    try {
      const metrics: Metrics = {}
      for (const delayMs of delays)
        Object.assign(
          metrics,
          await inDatabase(server.url, async (database) => {
            const name = new URL(database).pathname.slice(1)
            await onServer(server.url, `alter database ${name} set commit_delay = ${delayMs * 1_000}`)
            return withDelay(database, delayMs)
          }),
        )
      return metrics
    } finally {
      await server.stop()
    }
  },
}

async function withDelay(database: string, delayMs: number): Promise<Metrics> {
  using folder = temporaryFolder()
  await using subject = await startSubject(
    'servers/commits-postgres.ts',
    { database, folder: folder.path },
    folder.path,
  )
  const by = (kind: string, count: number) => async () => {
    const { rate, lost } = await subject.ask<{ rate: number; lost: number }>(`${kind}.${count}`)
    expectEqual(`rows or events that ${count} writers have lost`, lost, 0)
    return { rate }
  }
  const kinds = ['events', 'byHand', ...(delayMs === Math.max(...delays) ? Object.keys(controls) : [])]
  const contenders = kinds.flatMap((kind) =>
    writers.map((count) => [`${kind}.${count}`, by(kind, count)] as const),
  )
  const found = await interleave(3, Object.fromEntries(contenders))
  const rate = (kind: string, count: number) => found[`${kind}.${count}`]?.rate as number
  /** What so many writers do, as a part of what each of them would do alone. */
  const linear = (kind: string, count: number): Metric => ({
    value: rate(kind, count) / rate(kind, 1) / count,
    unit: 'of linear',
  })
  const metrics: Metrics = {}
  const prefix = `commits.postgres.${delayMs}ms`
  for (const count of writers)
    metrics[`${prefix}.${count}`] = more(rate('events', count), 'transactions/s', peer, rate('byHand', count))
  for (const count of writers.slice(1)) {
    const ours = linear('events', count)
    metrics[`${prefix}.${count}.linear`] = {
      ...more(ours.value, ours.unit, peer, linear('byHand', count).value),
      ...(delayMs === 5 && count === 8 && { aim }),
    }
  }
  for (const [kind, what] of Object.entries(controls))
    if (kinds.includes(kind))
      for (const count of writers.slice(1))
        metrics[`${prefix}.${kind}.${count}.linear`] = {
          ...linear(kind, count),
          unit: `of linear, the control: ${what}`,
        }
  return metrics
}
