import { LockMode } from '@mikro-orm/core'
import type { Ctx } from '../../../kernel/context.ts'
import { shownName } from '../../../kernel/names.ts'
import { transact } from '../../../kernel/transact.ts'
import { Unretryable } from '../../../platform/jobs/jobs.ts'
import { MailError } from '../../../platform/mail/mail.ts'
import { Tenant } from '../../accounts/tenants/entities.ts'
import { type Sending, sendEmail } from '../../people/mail/send-email.ts'
import { defineMail, mailOf } from '../../people/mail/templates/kinds.ts'
import { Report, ReportDelivery, type ReportDeliveryStatus } from './entities.ts'

export const reportMail = defineMail({
  slug: 'report',
  name: 'Report',
  category: 'report_delivery',
  variables: {
    tenant: { description: 'Name of the tenant', required: true },
    title: { description: 'Title of the report', required: true },
    from: { description: 'First day of its period', required: true },
    until: { description: 'Last day of its period', required: true },
    sender: { description: 'Name of the person who sends it', required: true },
    message: { description: 'What that person writes', required: false, hasParagraphs: true },
  },
  subject: 'A report for you on Copydesk',
  message: {
    greeting: 'Hello,',
    paragraphs: ['A report for “{{ tenant }}” is attached: “{{ title }}”, {{ from }} to {{ until }}.'],
    quote: { from: '“{{ sender }}” writes:', paragraphs: ['{{ message | quoted }}'], when: 'message' },
  },
})

/**
 * Sends one mail with the PDF, the job `mail.report`. Before the server is spoken to, the intent says so: a process that dies
 * then, or a server that does not say whether it took the mail, leaves `unknown`, and the mail is not sent again.
 */
export async function mailReport(
  ctx: Ctx,
  { deliveryId }: { deliveryId: string },
  signal: AbortSignal,
): Promise<void> {
  const mail = await begin(ctx, deliveryId)
  if (!mail) return
  const bytes = await ctx.services.blobs.get(mail.blobKey)
  if (!bytes) throw new Error(`The PDF of a report is not among the files: ${mail.blobKey}`)
  if (!(await takeIntent(ctx, deliveryId))) return
  const attachment = { name: mail.fileName, type: 'application/pdf', bytes }
  let sending: Sending
  try {
    sending = await sendEmail(
      ctx,
      { mailId: deliveryId },
      { ...mail.message, attachments: [attachment] },
      signal,
    )
  } catch (error) {
    const cause = error instanceof Unretryable ? error.cause : error
    const status = statusAfter(cause)
    await settle(ctx, deliveryId, status, (cause as Error).message)
    if (status === 'unknown') {
      ctx.log.warn('a report may or may not have been mailed; it is not sent again', { deliveryId, error })
      return
    }
    throw error
  }
  if (sending === 'sent') await settle(ctx, deliveryId, 'sent')
  else await settle(ctx, deliveryId, 'refused', 'E-mails to this address come back, so none is sent any more')
}

/** Whether a mail that failed may be sent again. */
function statusAfter(error: unknown): ReportDeliveryStatus {
  if (!(error instanceof MailError) || error.unknown) return 'unknown'
  return error.final ? 'refused' : 'pending'
}

/** What is to be sent; undefined when it was, or may have been. */
function begin(ctx: Ctx, id: string) {
  return transact(ctx, async (txn) => {
    const lockMode = LockMode.PESSIMISTIC_WRITE
    const intent = await txn.em.findOne(ReportDelivery, { id }, { lockMode })
    if (intent?.status === 'sending') {
      // An earlier try died on the way and no one can say how far it came.
      intent.status = 'unknown'
      intent.error = 'The server stopped while the mail was sent'
      intent.updatedOn = txn.clock.date()
    }
    if (intent?.status !== 'pending') return undefined
    const report = await txn.em.findOneOrFail(Report, { id: intent.reportId })
    const tenant = await txn.em.findOneOrFail(Tenant, { id: report.tenantId })
    const own = intent.subject === report.title ? [] : [intent.subject]
    const written = [...own, ...(intent.message?.split(/\n{2,}/) ?? [])]
    const mail = mailOf(reportMail, {
      tenant: shownName(tenant.name),
      title: shownName(report.title),
      from: report.periodStart,
      until: report.periodEnd,
      sender: shownName(report.deliveredByName ?? ''),
      message: written.length > 0 ? written.join('\n\n') : undefined,
    })
    return {
      message: { to: intent.address, tenantId: report.tenantId, mail },
      blobKey: report.blobKey ?? '',
      fileName: `report-${report.periodEnd}.pdf`,
    }
  })
}

/** @returns false when another process has it in hand meanwhile */
function takeIntent(ctx: Ctx, id: string): Promise<boolean> {
  return transact(ctx, async (txn) => {
    const lockMode = LockMode.PESSIMISTIC_WRITE
    const intent = await txn.em.findOne(ReportDelivery, { id, status: 'pending' }, { lockMode })
    if (intent) Object.assign(intent, { status: 'sending', updatedOn: txn.clock.date() })
    return intent !== null
  })
}

function settle(
  ctx: Ctx,
  id: string,
  status: ReportDeliveryStatus,
  error: string | null = null,
): Promise<void> {
  return transact(ctx, async (txn) => {
    const intent = await txn.em.findOneOrFail(ReportDelivery, { id })
    Object.assign(intent, { status, error, updatedOn: txn.clock.date() })
  })
}
