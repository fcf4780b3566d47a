import { Client } from 'pg'
import { PgBoss } from 'pg-boss'
import { concurrency, eventually, type JobContender } from './job-contender.ts'

/** With LISTEN/NOTIFY, batches that are settled job by job, and fetching without pause while batches are full. */
export const pgBoss: JobContender = async (database, work) => {
  const boss = new PgBoss({ connectionString: database, max: 16, useListenNotify: true, schedule: false })
  boss.on('error', (error) => {
    throw error
  })
  await boss.start()
  await boss.createQueue('bench', { notify: true })
  await boss.work<{ n: number }>(
    'bench',
    { batchSize: concurrency, perJobResults: true, burstWhenBatchFull: true, pollingIntervalSeconds: 0.5 },
    async (jobs) =>
      Promise.all(
        jobs.map(async ({ id, data }) => {
          await work(data.n)
          return { id, status: 'completed' as const }
        }),
      ),
  )
  const client = new Client({ connectionString: database })
  await client.connect()
  const count = async (state: string) =>
    Number(
      (
        await client.query(
          `select count(*) as n from pgboss.job where name = 'bench' and state::text ${state}`,
        )
      ).rows[0].n,
    )
  return {
    enqueue: async (n) => void (await boss.send('bench', { n })),
    settled: () => eventually(async () => (await count(`<> 'completed'`)) === 0),
    recorded: () => count(`= 'completed'`),
    async close() {
      await client.end()
      await boss.stop({ graceful: false })
    },
  }
}
