import { Logger, makeWorkerUtils, run } from 'graphile-worker'
import { Client } from 'pg'
import { concurrency, eventually, type JobContender } from './job-contender.ts'

const logger = new Logger(() => () => undefined)

/** With its local queue and batched completions, as its page on performance advises. */
export const graphileWorker: JobContender = async (database, work) => {
  let started = 0
  const utils = await makeWorkerUtils({ connectionString: database, maxPoolSize: 16, logger } as never)
  await utils.migrate()
  const runner = await run({
    connectionString: database,
    concurrency,
    maxPoolSize: concurrency + 2,
    noHandleSignals: true,
    logger,
    taskList: {
      bench: async (payload: unknown) => {
        started += 1
        await work((payload as { n: number }).n)
      },
    },
    preset: {
      worker: {
        concurrentJobs: concurrency,
        maxPoolSize: concurrency + 2,
        localQueue: { size: concurrency * 2 },
        completeJobBatchDelay: 0,
        failJobBatchDelay: 0,
      },
    },
  } as never)
  const client = new Client({ connectionString: database })
  await client.connect()
  const left = async () =>
    Number((await client.query('select count(*) as n from graphile_worker._private_jobs')).rows[0].n)
  return {
    enqueue: async (n) => void (await utils.addJob('bench', { n })),
    settled: () => eventually(async () => (await left()) === 0),
    // It deletes what is done, so what has run and is not left is recorded.
    recorded: async () => started - (await left()),
    async close() {
      await client.end()
      await runner.stop()
      await utils.release()
    },
  }
}
