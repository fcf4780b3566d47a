import { LockMode } from '@mikro-orm/core'
import type { Ctx, Transaction } from '../../../../kernel/context.ts'
import { DomainError, notFound } from '../../../../kernel/errors.ts'
import { transact } from '../../../../kernel/transact.ts'
import { Approval } from '../../approvals/entities.ts'
import { resolve } from '../../approvals/resolve.ts'
import { askToStart, closeAs, noteAssignee } from './decide.ts'
import { ContentRequest, fromOperator, type RequestRow, type RequestStatus } from './entities.ts'
import { getForOperators } from './queries.ts'
import type { BlogRequestChange, BlogRequestDetail } from './schemas.ts'

/** Where an operator may put a request from; agents move it from `approved` on by themselves. */
const moves: Record<RequestStatus, readonly RequestStatus[]> = {
  draft: ['approved', 'rejected'],
  approved: ['rejected', 'in_production'],
  in_production: ['completed', 'rejected'],
  rejected: ['approved'],
  completed: [],
}

/**
 * Decides on a blog request, says who makes it, keeps a note. A question that waits for the tenant's admins is answered
 * with it. Only what people make is moved through production by hand. Serves `PATCH /admin/v1/blog-requests/:requestId`.
 * @throws DomainError `NOT_FOUND`; `UNPROCESSABLE` for a status that it cannot have next, or an assignee once agents are at it
 */
export async function changeBlogRequest(
  ctx: Ctx,
  id: string,
  changes: BlogRequestChange,
): Promise<BlogRequestDetail> {
  await transact(ctx, async (txn) => {
    const known = await txn.em.findOne(ContentRequest, { id, kind: 'blog' })
    if (!known) throw notFound('request')
    const approval = known.approvalId
      ? await txn.em.findOne(Approval, { id: known.approvalId }, { lockMode: LockMode.PESSIMISTIC_WRITE })
      : null
    const request = await txn.em.refreshOrFail(known, { lockMode: LockMode.PESSIMISTIC_WRITE })
    const before = view(request)
    if (changes.notes !== undefined) request.notes = changes.notes
    if (changes.assignee !== undefined) reassign(txn, request, changes.assignee)
    const wanted = changes.status && fromOperator(changes.status)
    if (wanted && wanted !== request.status) {
      requireMove(request, wanted)
      if (request.status === 'draft' && approval?.status === 'pending' && isOpen(txn, approval.expiresAt)) {
        const note = request.notes?.trim() || `Decided by an operator`
        await resolve(txn, approval.id, {
          resolution: wanted === 'approved' ? 'approved' : 'rejected',
          ...(wanted === 'rejected' && { note }),
        })
      } else if (wanted === 'approved' || wanted === 'rejected') closeAs(txn, request, wanted)
      else request.status = wanted
    }
    request.updatedOn = txn.clock.date()
    const { tenantId } = request
    txn.audit({ tenantId, resourceType: 'blog_request', resourceId: id, before, after: view(request) })
  })
  return getForOperators(ctx, id)
}

const isOpen = (txn: Transaction, expiresAt: Date) => expiresAt.getTime() > txn.clock.now()

function requireMove(request: RequestRow, wanted: RequestStatus): void {
  const byAgents = request.assignee !== 'human'
  const isStep = wanted === 'in_production' || request.status === 'in_production'
  if (moves[request.status].includes(wanted) && !(isStep && byAgents)) return
  const why = isStep && byAgents ? 'agents move it on; assign it to a human first' : 'that is no next step'
  throw new DomainError(
    'UNPROCESSABLE',
    `The request is ${request.status.replaceAll('_', ' ')} and cannot become ${wanted.replaceAll('_', ' ')}: ${why}`,
    { field: 'status' },
  )
}

function reassign(txn: Transaction, request: RequestRow, assignee: 'ai' | 'human'): void {
  if (request.assignee === assignee) return
  if (request.status === 'in_production' || request.status === 'completed') {
    throw new DomainError('UNPROCESSABLE', 'It is being made already; cancel or reassign its activities', {
      field: 'assignee',
    })
  }
  noteAssignee(txn, request, assignee)
  if (assignee === 'ai' && request.status === 'approved') askToStart(txn, request)
}

function view({ status, assignee, notes }: RequestRow) {
  return { status, assignee, notes }
}
