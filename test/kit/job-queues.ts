import { type Clock, createIds } from '../../packages/core/src/platform/clock.ts'
import type { JobFailure } from '../../packages/core/src/platform/jobs/entities.ts'
import type { JobHandler, NewJob } from '../../packages/core/src/platform/jobs/jobs.ts'
import { createJobQueue, type JobQueue } from '../../packages/core/src/platform/jobs/queue.ts'
import type { JobQueueOptions, JobWork } from '../../packages/core/src/platform/jobs/worker.ts'
import { asDate, asInstant, asJson } from './columns.ts'
import { openTestDatabase, silent } from './database.ts'

/** How long a test waits for a worker, and how often it looks. */
export const patience = { timeout: 15_000, interval: 10 }

/** One database, and workers that each have it open for themselves, as processes would. */
export async function createJobWorkers<C extends Clock>(clock: C) {
  const test = await openTestDatabase()
  const newId = createIds(clock)
  const queues: JobQueue[] = []
  const gates: Array<() => void> = []
  return {
    ...test,
    clock,
    /** @param handlers by the kind of the job; a single one is for `test.work` */
    async worker(
      handlers: Record<string, JobHandler> | JobHandler,
      { caps, tenantCaps, ...options }: Partial<JobQueueOptions & Omit<JobWork, 'handlers'>> = {},
    ) {
      const db = await test.again()
      const byKind = typeof handlers === 'function' ? { 'test.work': handlers } : handlers
      const work = { handlers: byKind, ...(caps && { caps }), ...(tenantCaps && { tenantCaps }) }
      const queue = createJobQueue({ db, clock, newId, log: silent, load: async () => work, ...options })
      queues.push(queue)
      return queue
    },
    /** Holds handlers up until it is opened, at the latest when the test is over. */
    gate() {
      const { promise: passed, resolve: open } = Promise.withResolvers<void>()
      gates.push(open)
      return { passed, open }
    },
    /** Queues jobs, `test.work` for no one unless it is said otherwise, and has them looked for. */
    async put(queue: JobQueue, ...jobs: Array<Partial<NewJob>>) {
      await test.db.write((tx) =>
        queue.enqueue(
          tx,
          jobs.map((job) => ({ kind: 'test.work', tenantId: null, payload: {}, ...job })),
        ),
      )
      queue.wakeUp()
    },
    async jobs() {
      const rows = await test.db.sql.all(
        'select id, kind, status, attempt, worker, payload, run_at, lease_until, finished_at, failures from job order by id',
      )
      return rows.map(({ payload, run_at, lease_until, finished_at, failures, ...rest }) => ({
        ...(rest as { id: string; kind: string; status: string; attempt: number; worker: string | null }),
        payload: asJson<Record<string, unknown>>(payload),
        runAt: asInstant(run_at),
        leaseUntil: asDate(lease_until),
        finishedAt: asDate(finished_at),
        failures: asJson<JobFailure[]>(failures) ?? [],
      }))
    },
    async [Symbol.asyncDispose]() {
      for (const open of gates) open()
      await Promise.all(queues.map((queue) => queue.stop()))
      await test[Symbol.asyncDispose]()
    },
  }
}

export const alphabetically = (a: string, b: string) => a.localeCompare(b)

/** A job of the kind `test.note`, whose handler is that of a notebook. */
export const note = (name: string, rest: Partial<NewJob> = {}): NewJob => ({
  kind: 'test.note',
  tenantId: null,
  payload: { name },
  ...rest,
})

/** Notes the names of the jobs in the order in which they were begun. */
export function notebook() {
  const names: string[] = []
  const write: JobHandler = async ({ payload }) => void names.push(payload['name'] as string)
  return { names, note: write }
}
