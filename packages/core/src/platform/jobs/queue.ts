import type { Sql } from '../database/database.ts'
import { insertRows, type NewRow } from '../database/new-rows.ts'
import type { NewJob } from './jobs.ts'
import {
  announceJobs,
  type DeadJob,
  type DeadLetterFilter,
  deleteFinished,
  hasJob,
  jobRows,
  once,
  requeueDead,
  selectDead,
} from './queries.ts'
import { type JobQueueOptions, JobWorker } from './worker.ts'

export interface JobQueue {
  /**
   * The rows by which a transaction queues jobs. Of those that are due its commit lets other processes know.
   * @returns also whether any is due; call `wakeUp` then once it has committed
   */
  prepare(tx: Sql, jobs: readonly NewJob[]): Promise<{ rows: NewRow[]; due: boolean }>
  /** Queues jobs as part of `tx`; call `wakeUp` once it has committed. */
  enqueue(tx: Sql, jobs: readonly NewJob[]): Promise<void>
  /** Queues jobs on their own, and looks for them at once. */
  add(jobs: readonly NewJob[]): Promise<void>
  /** Looks for due jobs at once. */
  wakeUp(): void
  start(): Promise<void>
  /** Takes no new jobs and waits for those in progress; what takes longer than `graceMs` is told to stop. */
  stop(graceMs?: number): Promise<void>
  /** Jobs that were given up, newest first, with the history of their attempts. */
  deadLetters(filter: DeadLetterFilter): Promise<DeadJob[]>
  /** Whether there is a job of an id, given up or not, that those who see these tenants may know of. */
  exists(job: Required<Pick<DeadLetterFilter, 'tenants' | 'id'>>): Promise<boolean>
  /**
   * Gives a dead letter another life, as part of `tx` where one is given.
   * @returns false when there is none of that id, or another job of its unique key waits or is running
   */
  retry(id: string, tx?: Sql): Promise<boolean>
  /** Deletes jobs that were done before an instant. @returns how many */
  prune(before: Date): Promise<number>
}

/** Jobs as rows, which a worker of this process takes and does; those that are given up are kept as dead letters. */
export function createJobQueue(options: JobQueueOptions): JobQueue {
  const { db, clock, newId } = options
  const worker = new JobWorker(options)
  const wakeUp = () => worker.wakeUp()
  const prepare: JobQueue['prepare'] = async (tx, jobs) => {
    const now = clock.date()
    const due = jobs.some(({ runAt }) => !runAt || runAt <= now)
    if (due) await announceJobs(db, tx)
    return {
      rows: jobRows(
        jobs.map((job) => ({ ...job, id: newId() })),
        now,
      ),
      due,
    }
  }
  const enqueue = async (tx: Sql, jobs: readonly NewJob[]) => insertRows(tx, (await prepare(tx, jobs)).rows)
  return {
    prepare,
    enqueue,
    async add(jobs) {
      await once(db, (tx) => enqueue(tx, jobs))
      wakeUp()
    },
    wakeUp,
    start: () => worker.start(),
    stop: (graceMs = 10_000) => worker.stop(graceMs),
    deadLetters: (filter) => selectDead(db.sql, filter),
    exists: (job) => hasJob(db.sql, job),
    async retry(id, tx) {
      const back = async (inside: Sql) => {
        const revived = await requeueDead(inside, id, clock.date())
        if (revived > 0) await announceJobs(db, inside)
        return revived > 0
      }
      if (tx) return back(tx)
      const revived = await once(db, back)
      wakeUp()
      return revived
    },
    prune: (before) => deleteFinished(db, before),
  }
}
