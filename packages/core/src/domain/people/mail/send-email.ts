import type { Ctx, Transaction } from '../../../kernel/context.ts'
import { DomainError } from '../../../kernel/errors.ts'
import { Unretryable } from '../../../platform/jobs/jobs.ts'
import { type EmailMessage, renderEmail } from '../../../platform/mail/email-message.ts'
import { type Attachment, MailError } from '../../../platform/mail/mail.ts'
import type { MailPayload } from './jobs.ts'
import { countOutsideMail } from './queries.ts'

/**
 * Sends a letter as the mail of a job.
 * @throws Unretryable when the mail server refuses it for good; MailError when another try may do
 */
export async function sendEmail(
  ctx: Ctx,
  { mailId }: MailPayload,
  {
    to,
    subject,
    letter,
    attachments = [],
  }: { to: string; subject: string; letter: EmailMessage; attachments?: readonly Attachment[] },
  signal: AbortSignal,
): Promise<void> {
  try {
    await ctx.services.mail.send({ id: mailId, to, subject, ...renderEmail(letter), attachments }, signal)
  } catch (error) {
    if (error instanceof MailError && error.final) throw new Unretryable(error.message, { cause: error })
    throw error
  }
}

/** How many mails a day (UTC) go to people who are no users yet, such as invitations. */
export interface OutsideMailLimits {
  /** Of one tenant. */
  perTenant: number
  /** Of all tenants together. */
  total: number
}

export const usualMailLimits: OutsideMailLimits = { perTenant: 50, total: 500 }

/** The day of an instant, as mails are counted. */
export const mailDay = (at: Date) => at.toISOString().slice(0, 10)

/**
 * Counts a mail to someone outside, with the change that it belongs to: what does not commit is not counted. Servers that share a database count
 * together. What operators send is theirs to answer for, and is not counted.
 * @param tenantId null for a mail of no tenant, which counts for the installation only
 * @throws DomainError `RATE_LIMITED` when the tenant or the installation has sent all that it may today
 */
export async function countMailOutside(txn: Transaction, tenantId: string | null): Promise<void> {
  if (txn.actor.role === 'super_admin') return
  const { perTenant, total } = txn.services.settings.mailLimits
  const now = txn.clock.date()
  const day = mailDay(now)
  if (tenantId !== null && !(await countOutsideMail(txn.tx, day, tenantId, perTenant)))
    throw spent(
      now,
      'tenant',
      `This tenant has sent ${perTenant} mails to people outside today, which is its limit`,
    )
  if (!(await countOutsideMail(txn.tx, day, 'all', total)))
    throw spent(
      now,
      'installation',
      'This installation has sent all the mails to people outside that its operator allows in a day',
    )
}

function spent(now: Date, limit: 'tenant' | 'installation', message: string): DomainError {
  const midnight = new Date(now)
  midnight.setUTCHours(24, 0, 0, 0)
  return new DomainError('RATE_LIMITED', `${message}; it goes on after midnight (UTC)`, {
    details: { limit: `mails_per_day_${limit}` },
    retryAfterS: Math.ceil((midnight.getTime() - now.getTime()) / 1_000),
  })
}

declare module '../../../kernel/services.ts' {
  interface Settings {
    mailLimits: OutsideMailLimits
  }
}
