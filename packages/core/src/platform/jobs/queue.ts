import type { Clock, NewId } from '../clock.ts'
import type { Database, Sql } from '../database/database.ts'
import type { Logger } from '../log.ts'
import { type JobHandler, type NewJob, Unretryable } from './jobs.ts'
import {
  anyDue,
  bury,
  type ClaimedRow,
  claimJobs,
  type DeadLetter,
  deleteFinished,
  finishJob,
  insertJobs,
  putBack,
  renew,
  revive,
  selectDead,
  takeBackExpired,
} from './queries.ts'

export interface JobQueue {
  /** Queues jobs as part of `tx`; call `poke` once it has committed. */
  enqueue(tx: Sql, jobs: readonly NewJob[]): Promise<void>
  /** Looks for due jobs at once. */
  poke(): void
  start(): Promise<void>
  /** Takes no new jobs and waits for those at work; what takes longer than `graceMs` is told to stop. */
  stop(graceMs?: number): Promise<void>
  /** Jobs that were given up, newest first, with the history of their attempts. */
  deadLetters(limit?: number): Promise<DeadLetter[]>
  /** Gives a dead letter another life. @returns false when there is none of that id */
  retry(id: string): Promise<boolean>
  /** Deletes jobs that were done before an instant. @returns how many */
  prune(before: Date): Promise<number>
}

export interface JobQueueOptions {
  db: Database
  clock: Clock
  newId: NewId
  log: Logger
  /** By kind. Jobs of other kinds are left to other processes. */
  handlers: Readonly<Record<string, JobHandler>>
  /** Most jobs of a group at work at a time, over all processes. */
  caps?: Readonly<Record<string, number>>
  /** Jobs at work in this process at a time. Default 4. */
  concurrency?: number
  /** How long a job stays with a process that says nothing more, milliseconds. Default 30,000. */
  leaseMs?: number
  /** 0 to 1, for jitter. */
  random?: () => number
}

const pollMs = 2_000

/** Jobs as rows: claimed with a lease, fenced by their attempt, tried again with backoff, kept as dead letters at the end. */
export function createJobQueue(options: JobQueueOptions): JobQueue {
  const {
    db,
    clock,
    newId,
    log,
    handlers,
    caps = {},
    concurrency = 4,
    leaseMs = 30_000,
    random = Math.random,
  } = options
  const worker = newId()
  const kinds = Object.keys(handlers)
  const atWork = new Map<string, { abort: AbortController; done: Promise<void> }>()
  const cancels: { poll?: () => void; beat?: () => void } = {}
  let running = false
  let again = false
  let looking: Promise<void> | undefined

  const poke = () => {
    if (!running) return
    again = true
    looking ??= look()
      .catch((error: unknown) => log.error('jobs could not be claimed', { error }))
      .finally(() => {
        looking = undefined
        if (again && running && atWork.size < concurrency) poke()
      })
  }
  const look = async () => {
    while (again && running) {
      again = false
      const limit = concurrency - atWork.size
      const now = clock.date()
      if (limit <= 0 || !(await anyDue(db.sql, now, kinds))) return
      const jobs = await claimJobs(db, {
        worker,
        now,
        leaseUntil: new Date(now.getTime() + leaseMs),
        limit,
        kinds,
        caps,
      })
      for (const job of jobs) work(job)
      if (jobs.length > 0) again = true
    }
  }
  const work = (job: ClaimedRow) => {
    const abort = new AbortController()
    const done = perform(job, abort.signal)
      .catch((error: unknown) =>
        log.error('the end of a job could not be written', { jobId: job.id, kind: job.kind, error }),
      )
      .finally(() => {
        atWork.delete(job.id)
        poke()
      })
    atWork.set(job.id, { abort, done })
  }
  const perform = async (job: ClaimedRow, signal: AbortSignal) => {
    try {
      await (handlers[job.kind] as JobHandler)({ ...job, signal })
    } catch (error) {
      return lose(job, error)
    }
    if ((await finishJob(db, job, worker, clock.date())) === 0)
      log.warn('a job ended after its lease', { jobId: job.id, kind: job.kind })
  }
  const lose = async (job: ClaimedRow, error: unknown) => {
    const failure = {
      attempt: job.attempt,
      at: clock.date().toISOString(),
      error: (error as Error)?.message ?? String(error),
    }
    const failures = [...job.failures, failure]
    const final = error instanceof Unretryable || job.attempt >= job.maxAttempts
    log[final ? 'error' : 'warn'](final ? 'a job was given up' : 'a job failed and is tried again', {
      jobId: job.id,
      kind: job.kind,
      attempt: job.attempt,
      error,
    })
    if (final) return void (await bury(db, job, worker, clock.date(), failures))
    const wait = Math.min(1_000 * 2 ** (job.attempt - 1), 300_000) * (0.75 + random() / 2)
    await putBack(db, job, worker, new Date(clock.now() + wait), failures)
  }
  const beat = () => {
    const ids = [...atWork.keys()]
    const renewed =
      ids.length > 0
        ? renew(db, worker, ids, new Date(clock.now() + leaseMs))
        : Promise.resolve(new Set<string>())
    renewed
      .then((kept) => {
        for (const id of ids) if (!kept.has(id)) atWork.get(id)?.abort.abort()
        return takeBackExpired(db, clock.date())
      })
      .then((count) => count > 0 && poke())
      .catch((error: unknown) => log.error('leases of jobs could not be renewed', { error }))
      .finally(() => {
        if (running) cancels.beat = clock.after(leaseMs / 3, beat)
      })
  }
  const poll = () => {
    poke()
    cancels.poll = clock.after(pollMs, poll)
  }
  return {
    enqueue: (tx, jobs) =>
      insertJobs(
        tx,
        jobs.map((job) => ({ ...job, id: newId() })),
        clock.date(),
      ),
    poke,
    async start() {
      running = true
      beat()
      poll()
    },
    async stop(graceMs = 10_000) {
      running = false
      cancels.poll?.()
      cancels.beat?.()
      await looking
      const giveUp = clock.after(graceMs, () => {
        for (const job of atWork.values()) job.abort.abort()
      })
      await Promise.all([...atWork.values()].map((job) => job.done))
      giveUp()
    },
    deadLetters: (limit = 100) => selectDead(db.sql, limit),
    async retry(id) {
      const revived = await revive(db, id, clock.date())
      poke()
      return revived > 0
    },
    prune: (before) => deleteFinished(db, before),
  }
}
