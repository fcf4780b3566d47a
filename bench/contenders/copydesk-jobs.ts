import { createIds, createSystemClock } from '../../packages/core/src/platform/clock.ts'
import { openDatabase } from '../../packages/core/src/platform/database/database.ts'
import { jobEntities } from '../../packages/core/src/platform/jobs/entities.ts'
import { createJobQueue } from '../../packages/core/src/platform/jobs/queue.ts'
import { silentLogger } from '../../packages/core/src/platform/logger.ts'
import { concurrency, eventually, type JobContender } from './job-contender.ts'

export const copydeskJobs: JobContender = async (database, work) => {
  const log = silentLogger
  const db = await openDatabase({ url: database, entities: jobEntities, migrations: [], log, poolSize: 16 })
  await (await db.orm()).schema.create()
  const clock = createSystemClock()
  const queue = createJobQueue({
    db,
    clock,
    newId: createIds(clock),
    log,
    concurrency,
    load: async () => ({
      caps: { bench: concurrency },
      handlers: { bench: async ({ payload }) => work(payload['n'] as number) },
    }),
  })
  await queue.start()
  const count = async (status: string) =>
    Number((await db.sql.get(`select count(*) as n from job where status = ?`, [status]))?.['n'])
  return {
    enqueue: (n) =>
      queue.add([{ kind: 'bench', tenantId: null, payload: { n }, uniqueKey: `bench:${n}`, group: 'bench' }]),
    settled: () => eventually(async () => (await count('running')) + (await count('waiting')) === 0),
    recorded: () => count('done'),
    async close() {
      await queue.stop()
      await db.close()
    },
  }
}
