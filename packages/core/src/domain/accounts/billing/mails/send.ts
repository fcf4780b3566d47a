import { LockMode } from '@mikro-orm/core'
import type { Ctx } from '../../../../kernel/context.ts'
import { shownName } from '../../../../kernel/names.ts'
import { transact } from '../../../../kernel/transact.ts'
import { Unretryable } from '../../../../platform/jobs/jobs.ts'
import { MailError } from '../../../../platform/mail/mail.ts'
import { type Sending, sendEmail } from '../../../people/mail/send-email.ts'
import { User } from '../../identity/entities.ts'
import { Tenant } from '../../tenants/entities.ts'
import { Invoice } from '../invoices/entities.ts'
import { invoicePdf } from '../invoices/pdf.ts'
import { BillingMail, type BillingMailStatus } from './entities.ts'
import { billingMail } from './kinds.ts'

/**
 * Sends one mail about an invoice, the job `mail.billing`. Before the server is spoken to, the intent says so: a process that dies
 * then, or a server that does not say whether it took the mail, leaves `unknown`, and the mail is not sent again.
 */
export async function mailBilling(
  ctx: Ctx,
  { mailId }: { mailId: string },
  signal: AbortSignal,
): Promise<void> {
  const mail = await begin(ctx, mailId)
  if (!mail) return
  const pdf = await invoicePdf(ctx, mail.invoiceId, signal)
  await settle(ctx, mailId, 'sending')
  const attachments = [{ name: pdf.name, type: 'application/pdf', bytes: pdf.bytes }]
  let sending: Sending
  try {
    sending = await sendEmail(ctx, { mailId }, { ...mail.message, attachments }, signal)
  } catch (error) {
    const cause = error instanceof Unretryable ? error.cause : error
    const status = statusAfter(cause)
    await settle(ctx, mailId, status, (cause as Error).message)
    if (status !== 'unknown') throw error
    ctx.log.warn('a mail about an invoice may or may not have been sent; it is not sent again', {
      mailId,
      error,
    })
    return
  }
  if (sending === 'sent') await settle(ctx, mailId, 'sent')
  else await settle(ctx, mailId, 'refused', 'E-mails to this address come back, so none is sent any more')
}

/** Whether a mail that failed may be sent again. */
function statusAfter(error: unknown): BillingMailStatus {
  if (!(error instanceof MailError) || error.unknown) return 'unknown'
  return error.final ? 'refused' : 'pending'
}

/** What is to be sent; undefined when it was, may have been, or is no longer true. */
function begin(ctx: Ctx, id: string) {
  return transact(ctx, async (txn) => {
    const intent = await txn.em.findOne(BillingMail, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE })
    if (intent?.status === 'sending') {
      // An earlier try died on the way and no one can say how far it came.
      intent.status = 'unknown'
      intent.error = 'The server stopped while the mail was sent'
      intent.updatedOn = txn.clock.date()
    }
    if (intent?.status !== 'pending') return undefined
    const { tenantId, invoiceId, userId, kind, day } = intent
    const invoice = await txn.em.findOneOrFail(Invoice, { id: invoiceId })
    const tenant = await txn.em.findOneOrFail(Tenant, { id: tenantId })
    const user = await txn.em.findOne(User, { id: userId, tenantId, status: 'active' })
    const isSettled = kind !== 'invoice' && invoice.status !== 'pending' && invoice.status !== 'failed'
    if (!user || isSettled) {
      intent.status = 'refused'
      intent.error = user ? 'It was paid in the meantime' : 'The person is not there any more'
      intent.updatedOn = txn.clock.date()
      return undefined
    }
    const url = txn.services.settings.links
    const names = { person: shownName(user.name), tenant: shownName(tenant.name), zone: tenant.timezone }
    const mail = billingMail(kind, day, invoice, { ...names, url })
    return { invoiceId, message: { to: user.email, tenantId, mail } }
  })
}

function settle(ctx: Ctx, id: string, status: BillingMailStatus, error: string | null = null): Promise<void> {
  return transact(ctx, async (txn) => {
    const intent = await txn.em.findOneOrFail(BillingMail, { id })
    Object.assign(intent, { status, error, updatedOn: txn.clock.date() })
  })
}
