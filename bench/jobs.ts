import { findPostgres } from '../config/postgres.ts'
import type { Contest } from './contenders/run.ts'
import { type Bench, interleave, less, more } from './measure.ts'
import { inDatabase } from './postgres.ts'
import { startSubject, temporaryFolder } from './processes.ts'

/**
 * Jobs from their enqueueing, each in a transaction of its own, to the record of their end. All contenders run 32 jobs at a
 * time on a server that commits durably; ours with leases, fencing, a unique key for each job and a capped group.
 */
export const jobs: Bench = {
  name: 'jobs',
  async run() {
    const postgres = await findPostgres()
    if (postgres.url === undefined)
      throw new Error(`The benchmark of jobs needs PostgreSQL: ${postgres.reason}`)
    const { url } = postgres
    const on = (contender: Contest['contender']) => () =>
      inDatabase(url, (database) => measure({ contender, database }))
    const result = await interleave(3, {
      ours: on('copydesk'),
      graphile: on('graphile-worker'),
      boss: on('pg-boss'),
      sqlite: async () => {
        using folder = temporaryFolder()
        return await measure({ contender: 'copydesk', database: `sqlite:${folder.path}/jobs.db` })
      },
    })
    const { ours, graphile, boss, sqlite } = result
    await postgres.stop()
    return {
      'jobs.postgresql': more(ours.rate, 'jobs/s', 'graphile-worker 0.17', graphile.rate, 'ratio 1.1'),
      'jobs.postgresql.pg-boss': more(ours.rate, 'jobs/s', 'pg-boss 12.30', boss.rate, 'ratio 2'),
      'jobs.start.p99': less(ours.start, 'ms', 'graphile-worker 0.17', graphile.start, 'under 5 ms'),
      'jobs.start.p99.pg-boss': less(ours.start, 'ms', 'pg-boss 12.30', boss.start),
      'jobs.sqlite': { value: sqlite.rate, unit: 'jobs/s' },
      'jobs.sqlite.start.p99': { value: sqlite.start, unit: 'ms' },
    }
  },
}

async function measure(contest: Contest): Promise<{ rate: number; start: number }> {
  using folder = temporaryFolder()
  await using subject = await startSubject('contenders/run.ts', contest, folder.path)
  return await subject.ask('measure')
}
