import type { Clock, NewId } from '../clock.ts'
import type { Database, Sql } from '../database/database.ts'
import type { Logger } from '../log.ts'
import { anyDue, type ClaimedRow, claimAndAck } from './claim-queries.ts'
import { type JobHandler, Unretryable } from './jobs.ts'
import {
  finishHeld,
  jobsChannel,
  lostLease,
  markDead,
  renew,
  scheduleRetry,
  takeBackExpired,
} from './queries.ts'

/** What is done. */
export interface JobWork {
  /** By kind. Jobs of other kinds are left to other processes. */
  handlers: Readonly<Record<string, JobHandler>>
  /**
   * Most jobs of a group in progress at a time, over all processes: a server that does not answer must not keep other work
   * waiting.
   */
  caps?: Readonly<Record<string, number>>
  /** Of these, most of one tenant, so that its slow ones leave room for those of others; only for groups that are in `caps`. */
  tenantCaps?: Readonly<Record<string, number>>
}

export interface JobQueueOptions {
  db: Database
  clock: Clock
  newId: NewId
  log: Logger
  /** Asked when the work starts: who only queues jobs does without its code. */
  load(): Promise<JobWork>
  /** Jobs in progress in this process at a time. Default 6. */
  concurrency?: number
  /** How long a job stays with a process that says nothing more, milliseconds. Default 30,000. */
  leaseMs?: number
  /** 0 to 1, for jitter. */
  random?: () => number
}

interface InFlight {
  id: string
  abort: AbortController
  left: () => void
  /** Settles when its end is written down. */
  done: Promise<void>
}

const tryOf = ({ id, attempt }: ClaimedRow) => `${id}.${attempt}`

const pollMs = 2_000

/** Does the jobs of this process: claimed with a lease, fenced by their attempt, tried again with backoff. */
export class JobWorker {
  readonly #options: Required<JobQueueOptions>
  readonly #id: string
  #work: Required<JobWork> = { handlers: {}, caps: {}, tenantCaps: {} }
  /** By id and attempt: a job that was lost may come back while its old try is still busy. */
  readonly #inFlight = new Map<string, InFlight>()
  /** Done, and not yet written down. */
  readonly #ended: ClaimedRow[] = []
  #running = false
  #again = false
  #looking: Promise<void> | undefined
  #unlisten: (() => Promise<void>) | undefined
  #cancelPoll: (() => void) | undefined
  #cancelBeat: (() => void) | undefined

  constructor(options: JobQueueOptions) {
    const { concurrency = 6, leaseMs = 30_000, random = Math.random } = options
    this.#options = { ...options, concurrency, leaseMs, random }
    this.#id = options.newId()
  }

  async start(): Promise<void> {
    const { handlers, caps = {}, tenantCaps = {} } = await this.#options.load()
    this.#work = { handlers, caps, tenantCaps }
    this.#running = true
    this.#unlisten = await this.#options.db.listen(jobsChannel, () => this.wakeUp())
    this.#beat()
    this.#pollAgain()
  }

  async stop(graceMs: number): Promise<void> {
    this.#running = false
    this.#cancelPoll?.()
    this.#cancelBeat?.()
    await this.#unlisten?.()
    this.wakeUp()
    await this.#looking
    const giveUp = this.#options.clock.after(graceMs, () => {
      for (const job of this.#inFlight.values()) job.abort.abort()
    })
    await Promise.all([...this.#inFlight.values()].map((job) => job.done))
    giveUp()
  }

  wakeUp(): void {
    if (!this.#running && this.#ended.length === 0) return
    this.#again = true
    this.#looking ??= this.#poll()
      .catch((error: unknown) => this.#options.log.error('the table of jobs could not be reached', { error }))
      .finally(() => {
        this.#looking = undefined
        if (this.#again) this.wakeUp()
      })
  }

  #pollAgain(): void {
    this.wakeUp()
    this.#cancelPoll = this.#options.clock.after(pollMs, () => this.#pollAgain())
  }

  #kinds(): string[] {
    return Object.keys(this.#work.handlers)
  }

  /** Takes turns as long as there is something to write down or to take. */
  async #poll(): Promise<void> {
    const { db, clock, concurrency, leaseMs } = this.#options
    const { caps, tenantCaps } = this.#work
    while (this.#again) {
      this.#again = false
      const done = this.#ended.splice(0)
      const now = clock.date()
      const room = this.#running ? concurrency - this.#inFlight.size + done.length : 0
      const limit = room > 0 && (await this.#mayClaim(now)) ? room : 0
      if (limit === 0 && done.length === 0) return
      const leaseUntil = new Date(now.getTime() + leaseMs)
      const { kept, again, claimed } = await claimAndAck(db, done, {
        worker: this.#id,
        now,
        leaseUntil,
        limit,
        kinds: this.#kinds(),
        caps,
        tenantCaps,
      }).catch((error: unknown) => {
        // Kept under their leases, so that no one does them again, and written down by a later turn.
        if (this.#running) this.#ended.unshift(...done)
        else for (const job of done) this.#leave(job, true)
        throw error
      })
      for (const job of done) this.#leave(job, kept.has(job.id))
      for (const job of claimed) this.#begin(job)
      if (again || claimed.length > 0 || this.#ended.length > 0) this.#again = true
    }
  }

  /** On SQLite a claim takes the write lock, so it is looked first whether there is anything to take. */
  async #mayClaim(now: Date): Promise<boolean> {
    const { db } = this.#options
    return db.dialect === 'postgresql' || (await anyDue(db.sql, now, this.#kinds()))
  }

  #begin(job: ClaimedRow): void {
    const abort = new AbortController()
    const { promise: done, resolve: left } = Promise.withResolvers<void>()
    this.#inFlight.set(tryOf(job), { id: job.id, abort, left, done })
    void this.#perform(job, abort.signal).then((written) => {
      if (written) this.#leave(job, true)
      else this.#ended.push(job)
      this.wakeUp()
    })
  }

  #leave(job: ClaimedRow, kept: boolean): void {
    const { log } = this.#options
    if (!kept) log.warn('a job ended after its lease', { jobId: job.id, kind: job.kind })
    this.#inFlight.get(tryOf(job))?.left()
    this.#inFlight.delete(tryOf(job))
  }

  /** @returns whether its end has been written down: it has failed, or was finished in a transaction of its handler */
  async #perform(job: ClaimedRow, signal: AbortSignal): Promise<boolean> {
    const { clock, log } = this.#options
    let finished = false
    const finish = async (tx: Sql) => {
      finished = (await finishHeld(tx, job, this.#id, clock.date())) > 0
      if (!finished) throw new Error(lostLease)
    }
    try {
      await (this.#work.handlers[job.kind] as JobHandler)({ ...job, signal, finish })
      return finished
    } catch (error) {
      await this.#lose(job, error).catch((fault: unknown) =>
        log.error('the end of a job could not be written', { jobId: job.id, kind: job.kind, error: fault }),
      )
      return true
    }
  }

  async #lose(job: ClaimedRow, error: unknown): Promise<void> {
    const { db, clock, log, random } = this.#options
    const inVain = error instanceof Unretryable
    const failure = {
      attempt: job.attempt,
      at: clock.date().toISOString(),
      error: (error as Error)?.message ?? String(error),
      family: inVain ? ('invalid' as const) : ('transient' as const),
    }
    const failures = [...job.failures, failure]
    const about = { jobId: job.id, kind: job.kind, attempt: job.attempt, error }
    const isLast = inVain || job.attempt >= job.maxAttempts
    if (isLast && (await markDead(db, job, this.#id, clock.date(), failures)) > 0)
      return log.error('a job was given up', about)
    const wait = Math.min(1_000 * 2 ** (job.attempt - 1), 300_000) * (0.75 + random() / 2)
    const runAt = new Date(clock.now() + wait)
    const isTriedAgain = (await scheduleRetry(db, job, this.#id, runAt, failures)) > 0
    // One whose lease has ended is another attempt's, which may well succeed.
    log.warn(isTriedAgain ? 'a job failed and is tried again' : 'a job failed after its lease', about)
  }

  /** Renews the leases of what is in progress, and takes back what others have let expire. */
  #beat(): void {
    const { db, clock, log, leaseMs } = this.#options
    const ids = [...new Set([...this.#inFlight.values()].map(({ id }) => id))]
    const renewed =
      ids.length > 0
        ? renew(db, this.#id, ids, new Date(clock.now() + leaseMs))
        : Promise.resolve(new Set<string>())
    renewed
      .then((kept) => {
        for (const { id, abort } of this.#inFlight.values())
          if (ids.includes(id) && !kept.has(id)) abort.abort()
        return takeBackExpired(db, clock.date())
      })
      .then((count) => count > 0 && this.wakeUp())
      .catch((error: unknown) => log.error('leases of jobs could not be renewed', { error }))
      .finally(() => {
        if (this.#running) this.#cancelBeat = clock.after(leaseMs / 3, () => this.#beat())
      })
  }
}
