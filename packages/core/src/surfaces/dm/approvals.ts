import { getApproval, listForReview } from '../../domain/approvals/queries.ts'
import { resolve as resolveApproval } from '../../domain/approvals/resolve.ts'
import {
  ReviewerApprovalDetail,
  ReviewerApprovalPage,
  ReviewerApprovalQuery,
  Verdict,
  VerdictReceipt,
} from '../../domain/approvals/schemas.ts'
import { endpoint } from '../../gateway/endpoint.ts'
import { reviewers } from './access.ts'

export const list = endpoint({
  id: 'dm.approvals.list',
  route: 'GET /approvals',
  summary: 'Approvals of all assigned tenants, riskiest and oldest first',
  access: reviewers,
  query: ReviewerApprovalQuery,
  reply: { 200: ReviewerApprovalPage },
  errors: ['VALIDATION_ERROR'],
}).handle((ctx, { query }) => listForReview(ctx, query))

export const detail = endpoint({
  id: 'dm.approvals.get',
  route: 'GET /approvals/:approvalId',
  summary: 'One approval with the whole text and the version before it',
  access: reviewers,
  reply: { 200: ReviewerApprovalDetail },
  errors: ['NOT_FOUND'],
}).handle((ctx, { params }) => getApproval(ctx, params.approvalId))

export const resolve = endpoint({
  id: 'dm.approvals.resolve',
  route: 'POST /approvals/:approvalId/resolve',
  summary: 'Approve, reject or send back a pending approval',
  access: reviewers,
  body: Verdict,
  reply: { 200: VerdictReceipt },
  errors: ['CONFLICT', 'UNPROCESSABLE', 'VALIDATION_ERROR', 'NOT_FOUND'],
  audit: 'approval.resolve',
}).handle((ctx, { params, body }) => resolveApproval(ctx, params.approvalId, body))
