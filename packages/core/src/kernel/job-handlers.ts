import type { z } from 'zod'
import { type ClaimedJob, type JobHandler, Unretryable } from '../platform/jobs/jobs.ts'
import type { Ctx, Transaction } from './context.ts'
import type { JobDefinition } from './jobs.ts'
import { transact } from './transact.ts'

/** A kind of job with what is done for it. */
export interface HandledJob {
  readonly job: JobDefinition
  handler(system: () => Ctx): JobHandler
}

/**
 * Says what is done for a kind of job. It may be called twice for one job and must not mind.
 * @param work is aborted by `signal` when the lease is lost or the process drains
 */
export function handleJob<S extends z.ZodObject>(
  job: JobDefinition<S>,
  work: (ctx: Ctx, payload: z.output<S>, signal: AbortSignal) => Promise<void>,
): HandledJob {
  return {
    job,
    handler: (system) => async (claimed) => work(system(), payloadOf(job, claimed), claimed.signal),
  }
}

/**
 * Says what is done for a kind of job whose work is one transaction. The mark that it is done commits with it, so that it
 * is done once, wherever the process dies.
 */
export function handleJobOnce<S extends z.ZodObject>(
  job: JobDefinition<S>,
  work: (txn: Transaction, payload: z.output<S>) => Promise<void>,
): HandledJob {
  return {
    job,
    handler: (system) => async (claimed) => {
      const payload = payloadOf(job, claimed)
      await transact(system(), async (txn) => {
        await work(txn, payload)
        await txn.em.flush()
        await claimed.finish(txn.tx)
      })
    },
  }
}

function payloadOf<S extends z.ZodObject>(job: JobDefinition<S>, { payload }: ClaimedJob): z.output<S> {
  const read = job.payload.safeParse(payload)
  if (read.success) return read.data
  const { path, message } = read.error.issues[0] ?? { path: [], message: 'unknown' }
  throw new Unretryable(`The payload of ${job.kind} is wrong at "${path.join('.')}": ${message}`)
}
