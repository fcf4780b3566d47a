import { type Letter, writeLetter } from '../../platform/mail/letter.ts'
import { type Attachment, MailError } from '../../platform/mail/mail.ts'
import { type NewJob, Unretryable } from '../../platform/jobs/jobs.ts'
import type { Command, Ctx } from '../context.ts'

/** Tried for about three quarters of an hour, so that a server that asks to come back later is come back to. */
const maxAttempts = 16

/** What a job of a mail knows of itself, beside what its kind adds. */
export interface MailPayload {
  /** Of the mail, and so of all its tries. */
  mailId: string
}

/**
 * Queues the job that writes and sends a mail, with the change that the mail tells of.
 * @param runAt not before; default: at once
 */
export function queueMail(
  cmd: Command,
  kind: `mail.${string}`,
  about: { tenantId: string | null } & Record<string, unknown>,
  runAt?: Date,
): void {
  cmd.enqueue(mailJob(kind, { ...about, mailId: cmd.newId() }, runAt))
}

/** The job of a mail that has its id. */
export function mailJob(
  kind: `mail.${string}`,
  { tenantId, ...payload }: { tenantId: string | null } & MailPayload & Record<string, unknown>,
  runAt?: Date,
): NewJob {
  return { kind, tenantId, payload, group: 'mail', maxAttempts, ...(runAt && { runAt }) }
}

/**
 * Sends a letter as the mail of a job.
 * @throws Unretryable when the mail server refuses it for good; MailError when another try may do
 */
export async function post(
  ctx: Ctx,
  { mailId }: MailPayload,
  {
    to,
    subject,
    letter,
    attachments = [],
  }: { to: string; subject: string; letter: Letter; attachments?: readonly Attachment[] },
  signal: AbortSignal,
): Promise<void> {
  try {
    await ctx.services.mail.send({ id: mailId, to, subject, ...writeLetter(letter), attachments }, signal)
  } catch (error) {
    if (error instanceof MailError && error.final) throw new Unretryable(error.message, { cause: error })
    throw error
  }
}
