import { LockMode } from '@mikro-orm/core'
import type { ApprovalRow } from '../../approvals/entities.ts'
import type { Command } from '../../context.ts'
import { notify } from '../../notifications/notify.ts'
import { ContentRequest, type RequestRow } from './entities.ts'
import { askToStart } from './waiting.ts'

/** Lets a request be made, or not. The caller holds its lock. */
export function settleAs(cmd: Command, request: RequestRow, status: 'approved' | 'rejected'): void {
  request.status = status
  request.updatedOn = cmd.clock.date()
  if (status === 'approved' && request.assignee !== 'human') askToStart(cmd, request)
}

/**
 * Gives a request the verdict on the question whether it shall be made, in the transaction of the verdict. Its requester
 * is told. A question about anything else is left alone.
 */
export async function settleRequest(cmd: Command, approval: ApprovalRow): Promise<void> {
  if (approval.type !== 'content_direction') return
  const where = { approvalId: approval.id }
  const request = await cmd.em.findOne(ContentRequest, where, { lockMode: LockMode.PESSIMISTIC_WRITE })
  if (request?.status !== 'draft') return
  const approved = approval.status === 'approved'
  settleAs(cmd, request, approved ? 'approved' : 'rejected')
  if (approval.resolutionNote) request.notes = approval.resolutionNote
  await notify(cmd, {
    tenantId: request.tenantId,
    to: [request.createdById],
    type: 'campaign_update',
    title: `${approved ? 'Approved' : 'Not approved'}: ${request.topic}`,
    body: approval.resolutionNote ?? `Decided by ${approval.resolvedByName}.`,
    subjectKind: 'approvals',
    subjectId: approval.id,
  })
}
