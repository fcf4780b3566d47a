import type { Sql } from '../database/database.ts'

/** Work to be done once, some time after the transaction that asks for it. */
export interface NewJob {
  /** Names the handler, for example `campaign.plan`. */
  kind: string
  tenantId: string | null
  payload: Record<string, unknown>
  /**
   * Another job with this key folds into one that waits, and has one that is running done once more: its handler may have read
   * already what the other one is about.
   */
  uniqueKey?: string
  /** Jobs of one group run at most `cap` at a time over all processes. */
  group?: string
  /** Not before this instant. Default: at once. */
  runAt?: Date
  /** Higher goes first. Default 0. */
  priority?: number
  /** Attempts before it becomes a dead letter. Default 5. */
  maxAttempts?: number
}

/** A job in the hands of one worker. */
export interface ClaimedJob {
  id: string
  kind: string
  tenantId: string | null
  payload: Record<string, unknown>
  /** 1 for the first try; also the fence: a result under an older attempt is refused. */
  attempt: number
  maxAttempts: number
  /** Aborted when the lease is lost or the process drains. */
  signal: AbortSignal
  /**
   * Marks the job as done as part of `tx`, so that what it did is never done again. Last in the transaction: it locks the job.
   * @throws Error when the lease was lost, so that the transaction is rolled back
   */
  finish(tx: Sql): Promise<void>
}

/** Does the work. A throw means: try again later; `Unretryable` means: never again. */
export type JobHandler = (job: ClaimedJob) => Promise<void>

/** Thrown by a handler when another try would be in vain. */
export class Unretryable extends Error {
  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options)
    this.name = 'Unretryable'
  }
}
