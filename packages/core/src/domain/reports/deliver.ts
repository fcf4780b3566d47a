import { LockMode } from '@mikro-orm/core'
import { actorName } from '../actor.ts'
import { command } from '../command.ts'
import type { Command, Ctx } from '../context.ts'
import { DomainError, invalid, notFound } from '../errors.ts'
import { User } from '../identity/entities.ts'
import { queueMail } from '../mail/post.ts'
import { Report, ReportDelivery, type ReportRow } from './entities.ts'
import { knownAddresses } from './recipient-queries.ts'
import type { Delivered, Delivery } from './schemas.ts'

/**
 * Mails the PDF to the tenant's admins and whoever else of its people and reviewers is named, each address once, however often it
 * is asked for; one that was refused is tried again. Serves `POST /dm/v1/reports/:reportId/deliver`.
 * @returns the addresses of this request
 * @throws DomainError `NOT_FOUND`; `VALIDATION_ERROR` on `to.N` for an address that is nobody of this tenant; `UNPROCESSABLE` while it is not ready, or when nobody would get it
 */
export function deliverReport(ctx: Ctx, reportId: string, delivery: Delivery): Promise<Delivered> {
  return command(ctx, async (cmd) => {
    const lockMode = LockMode.PESSIMISTIC_WRITE
    const report = await cmd.em.findOne(Report, { id: reportId }, { lockMode })
    if (!report) throw notFound('report')
    if (report.status !== 'ready' && report.status !== 'delivered')
      throw new DomainError('UNPROCESSABLE', `The report is ${report.status}, and not ready yet`)
    const { tenantId } = report
    await requireKnown(cmd, tenantId, delivery.to)
    const admins = await cmd.em.find(
      User,
      { tenantId, role: 'admin', status: 'active' },
      { orderBy: { id: 'asc' } },
    )
    const sentTo = [...new Set([...admins.map(({ email }) => email), ...delivery.to])]
    if (sentTo.length === 0)
      throw new DomainError('UNPROCESSABLE', 'The tenant has no admin: name who shall get it', {
        field: 'to',
      })
    await intend(cmd, report, sentTo, delivery)
    const before = { status: report.status }
    report.status = 'delivered'
    report.deliveredAt = cmd.clock.date()
    report.deliveredById = cmd.actor.id
    report.deliveredByName = actorName(cmd)
    report.deliveryChannel = 'email'
    report.updatedOn = cmd.clock.date()
    const after = { status: report.status, to: sentTo }
    cmd.audit({ tenantId, resourceType: 'report', resourceId: report.id, before, after })
    cmd.emit({
      tenantId,
      type: 'report_delivered',
      subject: report.id,
      data: { reportId: report.id, title: report.title, deliveredBy: report.deliveredByName },
    })
    return { delivered: true, sentTo }
  })
}

/** Reports carry words of people into the mailboxes of others: of those only who works for the tenant is written to. */
async function requireKnown(cmd: Command, tenantId: string, addresses: readonly string[]): Promise<void> {
  const known = await knownAddresses(cmd.tx, tenantId)
  const stranger = addresses.findIndex((address) => !known.has(address))
  if (stranger === -1) return
  throw invalid(
    `to.${stranger}`,
    `${addresses[stranger]} is nobody of this tenant: a report goes to its active people and to reviewers who are assigned to it. Invite the person first`,
  )
}

/** Writes down which mails shall go out, and queues those that have not gone yet. */
async function intend(
  cmd: Command,
  report: ReportRow,
  addresses: readonly string[],
  { subject = report.title, message }: Delivery,
): Promise<void> {
  const { id: reportId, tenantId } = report
  const known = await cmd.em.find(ReportDelivery, { reportId })
  const now = cmd.clock.date()
  for (const address of addresses) {
    let intent = known.find((row) => row.address === address)
    if (intent && intent.status !== 'refused') continue
    const said = {
      subject,
      message: message ?? null,
      status: 'pending' as const,
      error: null,
      updatedOn: now,
    }
    if (intent) Object.assign(intent, said)
    else {
      intent = cmd.em.create(ReportDelivery, {
        id: cmd.newId(),
        tenantId,
        reportId,
        address,
        createdOn: now,
        ...said,
      })
    }
    queueMail(cmd, 'mail.report', { tenantId, deliveryId: intent.id })
  }
}
