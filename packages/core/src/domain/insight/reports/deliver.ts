import { LockMode } from '@mikro-orm/core'
import { actorName, type Ctx, type Transaction } from '../../../kernel/context.ts'
import { DomainError, invalid, notFound } from '../../../kernel/errors.ts'
import { transact } from '../../../kernel/transact.ts'
import { User } from '../../accounts/identity/entities.ts'
import { queueMail } from '../../people/mail/jobs.ts'
import { Report, ReportDelivery, type ReportRow } from './entities.ts'
import { reportDelivered } from './events.ts'
import { mailReportJob } from './jobs.ts'
import { knownAddresses } from './queries.ts'
import type { Delivered, DeliverReport } from './schemas.ts'

/**
 * Mails the PDF to the tenant's admins and any others of its people and reviewers is named, each address once, however often it
 * is asked for; one that was refused, or given up, is tried again. Serves `POST /dm/v1/reports/:reportId/deliver`.
 * @returns the addresses of this request
 * @throws DomainError `NOT_FOUND`; `VALIDATION_ERROR` on `to.N` for an address that is no one of this tenant; `UNPROCESSABLE` while it is not ready, or when no one would get it
 */
export function deliverReport(ctx: Ctx, reportId: string, delivery: DeliverReport): Promise<Delivered> {
  return transact(ctx, async (txn) => {
    const lockMode = LockMode.PESSIMISTIC_WRITE
    const report = await txn.em.findOne(Report, { id: reportId }, { lockMode })
    if (!report) throw notFound('report')
    if (report.status !== 'ready' && report.status !== 'delivered')
      throw new DomainError('UNPROCESSABLE', `The report is ${report.status}, and not ready yet`)
    const { tenantId } = report
    await requireKnown(txn, tenantId, delivery.to)
    const admins = await txn.em.find(
      User,
      { tenantId, role: 'admin', status: 'active' },
      { orderBy: { id: 'asc' } },
    )
    const sentTo = [...new Set([...admins.map(({ email }) => email), ...delivery.to])]
    if (sentTo.length === 0)
      throw new DomainError('UNPROCESSABLE', 'The tenant has no admin: name who shall get it', {
        field: 'to',
      })
    await intend(txn, report, sentTo, delivery)
    const before = { status: report.status }
    report.status = 'delivered'
    report.deliveredAt = txn.clock.date()
    report.deliveredById = txn.actor.id
    report.deliveredByName = actorName(txn)
    report.deliveryChannel = 'email'
    report.updatedOn = txn.clock.date()
    const after = { status: report.status, to: sentTo }
    txn.audit({ tenantId, resourceType: 'report', resourceId: report.id, before, after })
    txn.emit(reportDelivered, {
      tenantId,
      subject: report.id,
      data: { reportId: report.id, title: report.title, deliveredBy: report.deliveredByName },
    })
    return { delivered: true, sentTo }
  })
}

/** Reports carry words of people into the mailboxes of others: of those only who works for the tenant is written to. */
async function requireKnown(txn: Transaction, tenantId: string, addresses: readonly string[]): Promise<void> {
  const known = await knownAddresses(txn.tx, tenantId)
  const stranger = addresses.findIndex((address) => !known.has(address))
  if (stranger === -1) return
  throw invalid(
    `to.${stranger}`,
    `${addresses[stranger]} is no one of this tenant: a report goes to its active people and to reviewers who are assigned to it. Invite the person first`,
  )
}

/** Writes down which mails shall go out, and queues those that have not gone yet. */
async function intend(
  txn: Transaction,
  report: ReportRow,
  addresses: readonly string[],
  { subject = report.title, message }: DeliverReport,
): Promise<void> {
  const { id: reportId, tenantId } = report
  const known = await txn.em.find(ReportDelivery, { reportId })
  const now = txn.clock.date()
  for (const address of addresses) {
    let intent = known.find((row) => row.address === address)
    if (intent && intent.status !== 'refused' && intent.status !== 'pending') continue
    const said = {
      subject,
      message: message ?? null,
      status: 'pending' as const,
      error: null,
      updatedOn: now,
    }
    if (intent?.status === 'refused') Object.assign(intent, said)
    intent ??= txn.em.create(ReportDelivery, {
      id: txn.newId(),
      tenantId,
      reportId,
      address,
      createdOn: now,
      ...said,
    })
    // One that is pending may have been given up. As long as its job waits, this one folds into it.
    const deliveryId = intent.id
    const uniqueKey = `${mailReportJob.kind}:${deliveryId}`
    queueMail(txn, mailReportJob, { tenantId, payload: { deliveryId }, uniqueKey })
  }
}
