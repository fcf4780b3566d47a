import { findPostgres } from '../config/postgres.ts'
import type { Contest } from './contenders/run.ts'
import { type Installation, installationIn, waitFor } from './installation.ts'
import { type Bench, expectEqual, interleave, type Metrics, more, percentile } from './measure.ts'
import { inDatabase } from './postgres.ts'
import { type Subject, startSubject, temporaryFolder } from './processes.ts'
import { prepareRuns, type Size } from './work.ts'

const rounds = 3
/** So many that the second half of them, which counts, runs code that is warm, with two workers as well. */
const manyRuns: Size = { tenants: 40, pieces: 50 }
/** As a model writes, six at a time in each process. */
const asModels = { size: { tenants: 10, pieces: 20 }, pace: { concurrency: 6, writerPaceMs: 25 } }

/**
 * Runs of agents through their whole cycle: claimed, their prompt built, written by the built-in writer at once, their output
 * stored, an approval asked for, events told. The peers do an empty job with as many round trips to the database.
 */
export const runs: Bench = {
  name: 'runs',
  async run() {
    const onSqlite = await median3(async () => {
      using folder = temporaryFolder()
      return await cycle(installationIn(folder.path), folder.path, 1)
    })
    const metrics: Metrics = { 'runs.sqlite': { value: onSqlite.rate, unit: 'runs/s' } }
    const postgres = await findPostgres()
    if (postgres.url === undefined) return metrics
    const { url } = postgres
    const workers = (processes: number, work?: Work) => () =>
      inDatabase(url, async (database) => {
        using folder = temporaryFolder()
        return await cycle(installationIn(folder.path, database), folder.path, processes, work)
      })
    const cold = await median3(workers(1))
    const four = await median3(workers(4))
    const rateOf = (processes: number, work: Work) => async () => {
      const { rate } = await workers(processes, work)()
      return { rate }
    }
    const roundTrips = Math.round(cold.roundTrips)
    const peer = (contender: Contest['contender']) => async () => ({
      rate: await inDatabase(url, (database) => emptyJobs({ contender, database, roundTrips })),
    })
    const warm = await interleave(rounds, {
      one: rateOf(1, { size: manyRuns }),
      two: rateOf(2, { size: manyRuns }),
      slowOne: rateOf(1, asModels),
      slowTwo: rateOf(2, asModels),
      graphile: peer('graphile-worker'),
      boss: peer('pg-boss'),
    })
    await postgres.stop()
    const as = (name: string) => `${name}, an empty job with ${roundTrips} round trips`
    return {
      ...metrics,
      'runs.postgresql': more(warm.one.rate, 'runs/s', as('graphile-worker 0.17'), warm.graphile.rate),
      'runs.postgresql.pg-boss': more(warm.one.rate, 'runs/s', as('pg-boss 12.30'), warm.boss.rate),
      'runs.postgresql.2': more(warm.two.rate, 'runs/s, two workers', 'one worker', warm.one.rate),
      'runs.postgresql.paced.2': more(
        warm.slowTwo.rate,
        'runs/s, two workers with a writer as slow as a model',
        'one such worker',
        warm.slowOne.rate,
      ),
      'runs.postgresql.cold': { value: cold.rate, unit: 'runs/s, the first 500' },
      'runs.postgresql.4': { value: four.rate, unit: 'runs/s with four workers' },
      'runs.start.p50': { value: percentile(cold.waits, 0.5), unit: 'ms from written down to started' },
      'runs.start.p99': { value: percentile(cold.waits, 0.99), unit: 'ms from written down to started' },
      'runs.sqlite.start.p99': {
        value: percentile(onSqlite.waits, 0.99),
        unit: 'ms from written down to started',
      },
    }
  },
}

interface Work {
  size: Size
  /** Of the workers, and of the writer in them. */
  pace?: { concurrency: number; writerPaceMs: number }
}

interface Cycle {
  rate: number
  /** Journeys to the database for each run; 0 on SQLite. */
  roundTrips: number
  /** Milliseconds. */
  waits: number[]
}

async function cycle(
  installation: Installation,
  folder: string,
  processes: number,
  { size, pace }: Partial<Work> = {},
): Promise<Cycle> {
  const { count, ...owner } = await prepareRuns(installation, size)
  const subjects: Subject[] = []
  try {
    for (let i = 0; i < processes; i += 1)
      subjects.push(await startSubject('servers/worker.ts', { ...installation, ...owner, ...pace }, folder))
    const [first] = subjects as [Subject]
    expectEqual('runs that wait', await first.ask<number>('left'), count)
    await Promise.all(subjects.map((subject) => subject.ask('begin')))
    await waitFor(async () => (await first.ask<number>('left')) === 0, 'all runs have ended')
    const ends = await first.ask<number[]>('ends')
    expectEqual('runs that have ended', ends.length, count)
    // The first meet code that has never run.
    const warm = ends.slice(Math.ceil(count * (size ? 0.5 : 0.3)))
    const rate = ((warm.length - 1) / ((warm.at(-1) as number) - (warm[0] as number))) * 1_000
    let roundTrips = 0
    for (const subject of subjects) roundTrips += await subject.ask<number>('roundTrips')
    const waits = processes === 1 && !size ? await first.ask<number[]>('waits') : []
    return { rate, roundTrips: roundTrips / count, waits }
  } finally {
    for (const subject of subjects) await subject[Symbol.asyncDispose]()
  }
}

/** The run whose rate is the median of three. */
async function median3(work: () => Promise<Cycle>): Promise<Cycle> {
  const found: Cycle[] = []
  for (let i = 0; i < rounds; i += 1) found.push(await work())
  return found.toSorted((a, b) => a.rate - b.rate)[1] as Cycle
}

async function emptyJobs(contest: Contest): Promise<number> {
  using folder = temporaryFolder()
  await using subject = await startSubject('contenders/run.ts', contest, folder.path)
  return (await subject.ask<{ rate: number }>('measure')).rate
}
