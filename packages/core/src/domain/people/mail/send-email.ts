import type { Ctx, Transaction } from '../../../kernel/context.ts'
import { DomainError } from '../../../kernel/errors.ts'
import { Unretryable } from '../../../platform/jobs/jobs.ts'
import { type Attachment, type Mail, MailError } from '../../../platform/mail/mail.ts'
import { noteBounce } from './bounces/note-bounce.ts'
import { isSuppressed, noteSent } from './bounces/queries.ts'
import type { MailPayload } from './jobs.ts'
import { countOutsideMail } from './queries.ts'
import type { FilledMail, MailKind } from './templates/kinds.ts'
import { writeMail } from './templates/render.ts'

/** Whether a mail was handed over, or its address is off. */
export type Sending = 'sent' | 'suppressed'

/**
 * Words a mail by its template, and sends it as the mail of a job, unless no mail goes to its address any more.
 * @param mail `tenantId` whose templates word it; null for a mail of no tenant
 * @throws Unretryable when it is refused for good; MailError when another try may do
 */
export async function sendEmail(
  ctx: Ctx,
  { mailId }: MailPayload,
  {
    to,
    tenantId,
    mail,
    attachments = [],
  }: { to: string; tenantId: string | null; mail: FilledMail; attachments?: readonly Attachment[] },
  signal: AbortSignal,
): Promise<Sending> {
  const written = await writeMail(ctx, mail, tenantId)
  const outgoing = { id: mailId, to, ...written, attachments }
  try {
    return (await handOverMail(ctx, outgoing, tenantId, signal)) === undefined ? 'suppressed' : 'sent'
  } catch (error) {
    if (error instanceof MailError && error.final) throw new Unretryable(error.message, { cause: error })
    throw error
  }
}

/**
 * Hands a mail over, and notes that: what comes back of it later is known by its id.
 * @returns its `Message-ID`; undefined when no mail goes to its address any more
 * @throws MailError
 */
export async function handOverMail(
  ctx: Ctx,
  mail: Mail,
  tenantId: string | null,
  signal?: AbortSignal,
): Promise<string | undefined> {
  const { id } = mail
  const address = mail.to.toLowerCase()
  if (await isSuppressed(ctx.sql, address)) {
    ctx.log.info('an e-mail is not sent: its address is turned off', { mailId: id })
    return undefined
  }
  await ctx.db.write((tx) => noteSent(tx, { id, tenantId, address, sentOn: ctx.clock.date() }))
  try {
    return await ctx.services.mail.send(mail, signal)
  } catch (error) {
    if (error instanceof MailError && error.bounce)
      await noteBounce(ctx, { mailId: id, kind: error.bounce, detail: error.message })
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
  interface Services {
    /** What the product sends, by slug. */
    mailKinds: ReadonlyMap<string, MailKind>
  }
  interface Settings {
    mailLimits: OutsideMailLimits
  }
}
