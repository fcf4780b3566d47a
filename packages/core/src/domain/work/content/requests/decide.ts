import { LockMode } from '@mikro-orm/core'
import type { Transaction } from '../../../../kernel/context.ts'
import { actorName } from '../../../../kernel/context.ts'
import { notify } from '../../../people/notifications/notify.ts'
import type { ApprovalRow } from '../../approvals/entities.ts'
import { ContentRequest, type RequestAssignee, RequestAssignment, type RequestRow } from './entities.ts'
import { startRequestJob } from './jobs.ts'

/** Lets a request be made, or not. The caller holds its lock. */
export function closeAs(txn: Transaction, request: RequestRow, status: 'approved' | 'rejected'): void {
  request.status = status
  request.updatedOn = txn.clock.date()
  if (status === 'approved' && request.assignee !== 'human') askToStart(txn, request)
}

/**
 * Gives a request the verdict on the question whether it shall be made, in the transaction of the verdict. Its requester
 * is told. A question about anything else is left alone.
 */
export async function syncRequest(txn: Transaction, approval: ApprovalRow): Promise<void> {
  if (approval.type !== 'content_direction') return
  const where = { approvalId: approval.id }
  const request = await txn.em.findOne(ContentRequest, where, { lockMode: LockMode.PESSIMISTIC_WRITE })
  if (request?.status !== 'draft') return
  const approved = approval.status === 'approved'
  closeAs(txn, request, approved ? 'approved' : 'rejected')
  if (approval.resolutionNote) request.notes = approval.resolutionNote
  await notify(txn, {
    tenantId: request.tenantId,
    to: [request.createdById],
    type: 'campaign_update',
    title: `${approved ? 'Approved' : 'Not approved'}: ${request.topic}`,
    body: approval.resolutionNote ?? `Decided by ${approval.resolvedByName}.`,
    subjectKind: 'approvals',
    subjectId: approval.id,
  })
}

/** How long before it is to go out a piece is made: agents and people need some of it. */
const leadMs = 7 * 86_400_000

const beginOf = (scheduleFor: Date | null) => scheduleFor && new Date(scheduleFor.getTime() - leadMs)

/** True once it is time to make a request, by when it is to go out. */
export function isTime(
  { clock }: Pick<Transaction, 'clock'>,
  { scheduleFor }: Pick<RequestRow, 'scheduleFor'>,
): boolean {
  const begin = beginOf(scheduleFor)
  return begin === null || begin.getTime() <= clock.now()
}

/** Has an approved request made once this command commits, or when its time has come. Asking twice does no harm. */
export function askToStart(
  txn: Transaction,
  request: Pick<RequestRow, 'id' | 'tenantId' | 'scheduleFor'>,
): void {
  const { id, tenantId, scheduleFor } = request
  const begin = beginOf(scheduleFor)
  const later = begin && begin > txn.clock.date() ? begin : null
  txn.enqueue(startRequestJob, { tenantId, payload: { requestId: id }, ...(later && { runAt: later }) })
}

/** Takes up what a tenant's approved requests have waited for: a campaign has a period for them now. */
export async function startWaiting(txn: Transaction, tenantId: string): Promise<void> {
  const waiting = await txn.em.find(
    ContentRequest,
    { tenantId, status: 'approved', assignee: { $ne: 'human' } },
    { fields: ['id', 'tenantId', 'scheduleFor'], disableIdentityMap: true },
  )
  for (const request of waiting) if (isTime(txn, request)) askToStart(txn, request)
}

/** Says who is to make what was asked for, and keeps it in the history. */
export function noteAssignee(txn: Transaction, request: RequestRow, assignee: RequestAssignee): void {
  request.assignee = assignee
  txn.em.create(RequestAssignment, {
    id: txn.newId(),
    tenantId: request.tenantId,
    requestId: request.id,
    assignee,
    byId: txn.actor.id,
    byName: actorName(txn),
    at: txn.clock.date(),
  })
}
