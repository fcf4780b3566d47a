import { z } from 'zod'
import type { NewJob } from '../platform/jobs/jobs.ts'

/** The payload of a job that needs to know nothing. */
export const noPayload = z.object({})

export interface JobOptions {
  /** Jobs of one group run at most `cap` at a time over all processes. Default: a group of its own where there is a cap. */
  group?: string
  cap?: number
  /** Of these at most so many of one tenant, so that slow work of one leaves room for that of others. */
  tenantCap?: number
  /** When it is asked for by itself, with an empty payload: five fields in UTC. Of several processes one asks at each instant. */
  cron?: string
  /** Attempts before it becomes a dead letter. Default 5. */
  maxAttempts?: number
}

/** One kind of job: its name, and the payload that both who asks for it and who does it see. */
export interface JobDefinition<S extends z.ZodObject = z.ZodObject> extends JobOptions {
  /** As it is stored, such as `campaign.plan`. */
  readonly kind: string
  /** In JSON form. */
  readonly payload: S
}

/** A job to be done, once the transaction that asks for it has committed. */
export interface JobOrder<S extends z.ZodObject> {
  tenantId: string | null
  payload: z.input<S>
  /** Not before this instant. Default: at once. */
  runAt?: Date | undefined
  /**
   * Another job with this key folds into one that waits, and has one that is running done once more: its handler may have read
   * already what the other one is about.
   */
  uniqueKey?: string
}

/** Declares a kind of job. What it does is given by composition, which knows every context. */
export function defineJob<S extends z.ZodObject, O extends JobOptions = JobOptions>(
  kind: string,
  payload: S,
  options: O = {} as O,
): JobDefinition<S> & O {
  const { cap, group = cap === undefined ? undefined : kind } = options
  return { kind, payload, ...options, ...(group !== undefined && { group }) }
}

/** A job as the queue stores it. @throws z.ZodError for a payload of another shape, which is a bug of the caller */
export function toNewJob<S extends z.ZodObject>(job: JobDefinition<S>, order: JobOrder<S>): NewJob {
  const { kind, group, maxAttempts } = job
  const { tenantId, payload, runAt, uniqueKey } = order
  return {
    kind,
    tenantId,
    payload: job.payload.parse(payload) as Record<string, unknown>,
    ...(group !== undefined && { group }),
    ...(maxAttempts !== undefined && { maxAttempts }),
    ...(runAt && { runAt }),
    ...(uniqueKey !== undefined && { uniqueKey }),
  }
}
