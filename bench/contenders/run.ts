import { Pool } from 'pg'
import { expectEqual, percentile } from '../measure.ts'
import { answer, settings } from '../servers/answer.ts'
import { copydeskJobs } from './copydesk-jobs.ts'
import { graphileWorker } from './graphile-worker.ts'
import { concurrency, type JobContender } from './job-contender.ts'
import { pgBoss } from './pg-boss.ts'

export interface Contest {
  contender: keyof typeof contenders
  /** URL of an empty database. */
  database: string
  /** Statements that each job sends to the database, one after the other; default none. */
  roundTrips?: number
}

const contenders = {
  copydesk: copydeskJobs,
  'graphile-worker': graphileWorker,
  'pg-boss': pgBoss,
} satisfies Record<string, JobContender>

const empty = 4_000
/** Of jobs that have something to do. */
const laden = 600
const enqueuers = 16
const warmUp = 500
const single = 300

/**
 * First many jobs, each enqueued on its own by one of several enqueuers, timed until the last end is written down; then
 * one at a time, timed from its enqueueing to its start.
 */
async function measure({
  contender,
  database,
  roundTrips = 0,
}: Contest): Promise<{ rate: number; start: number }> {
  const count = roundTrips === 0 ? empty : laden
  const pool = new Pool({ connectionString: database, max: concurrency })
  const seen = new Map<number, number>()
  let all = Promise.withResolvers<void>()
  let wanted = 0
  const queue = await contenders[contender](database, async (n) => {
    for (let i = 0; i < roundTrips; i += 1) await pool.query('select 1')
    if (seen.has(n)) throw new Error(`Job ${n} ran twice`)
    seen.set(n, performance.now())
    if (seen.size === wanted) all.resolve()
  })
  const until = (total: number) => {
    wanted = total
    all = Promise.withResolvers()
    return all.promise
  }
  try {
    let next = 0
    const enqueueAll = async (total: number) => {
      const done = until(total)
      const one = async () => {
        while (next < total) await queue.enqueue(next++)
      }
      await Promise.all(Array.from({ length: enqueuers }, one))
      await done
    }
    await enqueueAll(warmUp)
    const begun = performance.now()
    await enqueueAll(warmUp + count)
    await queue.settled()
    const rate = (count / (performance.now() - begun)) * 1_000
    const waits: number[] = []
    for (let i = 0; i < single; i += 1) {
      const done = until(next + 1)
      const asked = performance.now()
      await queue.enqueue(next)
      await done
      waits.push((seen.get(next) as number) - asked)
      next += 1
    }
    await queue.settled()
    expectEqual('jobs that are recorded as done', await queue.recorded(), next)
    return { rate, start: percentile(waits, 0.99) }
  } finally {
    await queue.close()
    await pool.end()
  }
}

answer({ measure: () => measure(settings<Contest>()) })
process.send?.({ port: 0 })
