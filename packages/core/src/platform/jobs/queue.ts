import type { Clock, NewId } from '../clock.ts'
import type { Database, Sql } from '../database/database.ts'
import type { Logger } from '../log.ts'
import { type JobHandler, type NewJob, Unretryable } from './jobs.ts'
import { anyDue, type ClaimedRow, turn } from './claim-queries.ts'
import {
  bury,
  type DeadLetter,
  type DeadLetterFilter,
  deleteFinished,
  hasJob,
  insertJobs,
  jobsChannel,
  once,
  putBack,
  renew,
  revive,
  selectDead,
  takeBackExpired,
} from './queries.ts'

export interface JobQueue {
  /** Queues jobs as part of `tx`; call `poke` once it has committed. */
  enqueue(tx: Sql, jobs: readonly NewJob[]): Promise<void>
  /** Queues jobs on their own, and looks for them at once. */
  add(jobs: readonly NewJob[]): Promise<void>
  /** Looks for due jobs at once. */
  poke(): void
  start(): Promise<void>
  /** Takes no new jobs and waits for those at work; what takes longer than `graceMs` is told to stop. */
  stop(graceMs?: number): Promise<void>
  /** Jobs that were given up, newest first, with the history of their attempts. */
  deadLetters(filter: DeadLetterFilter): Promise<DeadLetter[]>
  /** Whether there is a job of an id, given up or not, that those who see these tenants may know of. */
  exists(job: Required<Pick<DeadLetterFilter, 'tenants' | 'id'>>): Promise<boolean>
  /**
   * Gives a dead letter another life, as part of `tx` where one is given.
   * @returns false when there is none of that id, or another job of its unique key waits or is at work
   */
  retry(id: string, tx?: Sql): Promise<boolean>
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

interface AtWork {
  id: string
  abort: AbortController
  left: () => void
  /** Settles when its end is written down. */
  done: Promise<void>
}

const tryOf = ({ id, attempt }: ClaimedRow) => `${id}.${attempt}`

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
  /** By id and attempt: a job that was lost may come back while its old try is still busy. */
  const atWork = new Map<string, AtWork>()
  /** Done, and not yet written down. */
  const ended: ClaimedRow[] = []
  const cancels: { poll?: () => void; beat?: () => void } = {}
  let unlisten: (() => Promise<void>) | undefined
  let running = false
  let again = false
  let looking: Promise<void> | undefined

  const poke = () => {
    if (!running && ended.length === 0) return
    again = true
    looking ??= look()
      .catch((error: unknown) => log.error('the table of jobs could not be reached', { error }))
      .finally(() => {
        looking = undefined
        if (again) poke()
      })
  }
  /** Takes turns as long as there is something to write down or to take. */
  const look = async () => {
    while (again) {
      again = false
      const done = ended.splice(0)
      const now = clock.date()
      const room = running ? concurrency - atWork.size + done.length : 0
      const limit = room > 0 && (await mayClaim(now)) ? room : 0
      if (limit === 0 && done.length === 0) return
      const leaseUntil = new Date(now.getTime() + leaseMs)
      const { kept, claimed } = await turn(db, done, { worker, now, leaseUntil, limit, kinds, caps }).catch(
        (error: unknown) => {
          // Kept under their leases, so that nobody does them again, and written down by a later turn.
          if (running) ended.unshift(...done)
          else for (const job of done) leave(job, true)
          throw error
        },
      )
      for (const job of done) leave(job, kept.has(job.id))
      for (const job of claimed) work(job)
      if (claimed.length > 0 || ended.length > 0) again = true
    }
  }
  /** On SQLite a claim takes the write lock, so it is looked first whether there is anything to take. */
  const mayClaim = async (now: Date) => db.dialect === 'postgresql' || (await anyDue(db.sql, now, kinds))

  const work = (job: ClaimedRow) => {
    const abort = new AbortController()
    const { promise: done, resolve: left } = Promise.withResolvers<void>()
    atWork.set(tryOf(job), { id: job.id, abort, left, done })
    void perform(job, abort.signal).then((well) => {
      if (well) ended.push(job)
      else leave(job, true)
      poke()
    })
  }
  const leave = (job: ClaimedRow, kept: boolean) => {
    if (!kept) log.warn('a job ended after its lease', { jobId: job.id, kind: job.kind })
    atWork.get(tryOf(job))?.left()
    atWork.delete(tryOf(job))
  }
  /** @returns false when it failed, which has been written down */
  const perform = async (job: ClaimedRow, signal: AbortSignal): Promise<boolean> => {
    try {
      await (handlers[job.kind] as JobHandler)({ ...job, signal })
      return true
    } catch (error) {
      await lose(job, error).catch((fault: unknown) =>
        log.error('the end of a job could not be written', { jobId: job.id, kind: job.kind, error: fault }),
      )
      return false
    }
  }
  const lose = async (job: ClaimedRow, error: unknown) => {
    const inVain = error instanceof Unretryable
    const failure = {
      attempt: job.attempt,
      at: clock.date().toISOString(),
      error: (error as Error)?.message ?? String(error),
      family: inVain ? ('invalid' as const) : ('transient' as const),
    }
    const failures = [...job.failures, failure]
    const final = inVain || job.attempt >= job.maxAttempts
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
    const ids = [...new Set([...atWork.values()].map(({ id }) => id))]
    const renewed =
      ids.length > 0
        ? renew(db, worker, ids, new Date(clock.now() + leaseMs))
        : Promise.resolve(new Set<string>())
    renewed
      .then((kept) => {
        for (const { id, abort } of atWork.values()) if (ids.includes(id) && !kept.has(id)) abort.abort()
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
  const enqueue = (tx: Sql, jobs: readonly NewJob[]) =>
    insertJobs(
      db,
      tx,
      jobs.map((job) => ({ ...job, id: newId() })),
      clock.date(),
    )
  return {
    enqueue,
    async add(jobs) {
      await once(db, (tx) => enqueue(tx, jobs))
      poke()
    },
    poke,
    async start() {
      running = true
      unlisten = await db.listen(jobsChannel, poke)
      beat()
      poll()
    },
    async stop(graceMs = 10_000) {
      running = false
      cancels.poll?.()
      cancels.beat?.()
      await unlisten?.()
      poke()
      await looking
      const giveUp = clock.after(graceMs, () => {
        for (const job of atWork.values()) job.abort.abort()
      })
      await Promise.all([...atWork.values()].map((job) => job.done))
      giveUp()
    },
    deadLetters: (filter) => selectDead(db.sql, filter),
    exists: (job) => hasJob(db.sql, job),
    async retry(id, tx) {
      const back = async (inside: Sql) => {
        const revived = await revive(inside, id, clock.date())
        if (revived > 0) await db.notify(inside, jobsChannel, '')
        return revived > 0
      }
      if (tx) return back(tx)
      const revived = await once(db, back)
      poke()
      return revived
    },
    prune: (before) => deleteFinished(db, before),
  }
}
