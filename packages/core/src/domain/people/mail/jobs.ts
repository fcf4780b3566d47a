import type { z } from 'zod'
import type { Transaction } from '../../../kernel/context.ts'
import type { JobDefinition, JobOptions, JobOrder } from '../../../kernel/jobs.ts'

/** Of every mail. Tried for about three quarters of an hour, so that a server that asks to come back later is come back to. */
export const mailGroup: JobOptions = { group: 'mail', cap: 2, maxAttempts: 16 }

/**
 * Of work that sends many mails, one after another. It has places of its own, so that mails that someone waits for need not wait for it;
 * with those it holds four of the six places of a process while the mail server does not answer, and other work goes on in the others.
 */
export const manyMailsGroup = { group: 'mail.many', cap: 2, tenantCap: 1 } as const satisfies JobOptions

/** What a job of a mail knows of itself, beside what its kind adds. */
export interface MailPayload {
  /** Of the mail, and so of all its tries. */
  mailId: string
}

type MailJob<S extends z.ZodObject> = JobDefinition<S> & (z.input<S> extends MailPayload ? unknown : never)

/** Queues the job that writes and sends a mail, with the change that the mail is about. It gets an id of its own. */
export function queueMail<S extends z.ZodObject>(
  txn: Transaction,
  job: MailJob<S>,
  { payload, ...order }: Omit<JobOrder<S>, 'payload'> & { payload: Omit<z.input<S>, 'mailId'> },
): void {
  txn.enqueue(job, { ...order, payload: { ...payload, mailId: txn.newId() } as z.input<S> })
}
