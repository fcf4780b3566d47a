import { z } from 'zod'
import { lastOutcomes } from '../../domain/insight/outcomes/queries.ts'
import { ApprovedPieces } from '../../domain/insight/outcomes/schemas.ts'
import { showApproval } from '../../domain/insight/outcomes/shown.ts'
import { ReviewerApprovalView } from '../../domain/insight/outcomes/shown-schemas.ts'
import { resolveMany } from '../../domain/work/approvals/bulk.ts'
import { claim as claimApproval, unclaim } from '../../domain/work/approvals/claim.ts'
import { escalate as escalateApproval } from '../../domain/work/approvals/escalate.ts'
import { sendToClient as sendApprovalToClient } from '../../domain/work/approvals/forward.ts'
import { nextApproval } from '../../domain/work/approvals/next-queries.ts'
import { listApprovalsForReview } from '../../domain/work/approvals/queries.ts'
import { resolve as resolveApproval } from '../../domain/work/approvals/resolve.ts'
import {
  BulkReceipt,
  BulkVerdict,
  ClaimReceipt,
  Escalation,
  EscalationReceipt,
  Forward,
  ForwardReceipt,
  NextApproval,
  NextQuery,
  ReviewerApprovalPage,
  ReviewerApprovalQuery,
  Verdict,
  VerdictReceipt,
} from '../../domain/work/approvals/schemas.ts'
import { reviewStatistics } from '../../domain/work/approvals/statistics-queries.ts'
import { ReviewStatistics, ReviewStatisticsQuery } from '../../domain/work/approvals/statistics-schemas.ts'
import { endpoint } from '../../gateway/endpoint.ts'
import { reviewers } from './access.ts'

export const list = endpoint({
  id: 'dm.approvals.list',
  route: 'GET /approvals',
  summary: 'Approvals of all assigned tenants, riskiest and oldest first',
  access: reviewers,
  query: ReviewerApprovalQuery,
  reply: { 200: ReviewerApprovalPage },
}).handle((ctx, { query }) => listApprovalsForReview(ctx, query))

export const outcomes = endpoint({
  id: 'dm.approvals.outcomes',
  route: 'GET /approvals/outcomes',
  summary: 'What became of the ten pieces that the caller has approved last',
  description:
    'Figures are the totals until now; `null` where a platform does not count them, or has not been asked yet.',
  access: reviewers,
  reply: { 200: ApprovedPieces },
}).handle((ctx) => lastOutcomes(ctx))

export const get = endpoint({
  id: 'dm.approvals.get',
  route: 'GET /approvals/:approvalId',
  summary: 'One approval with the whole text and the version before it, and what became of it',
  access: reviewers,
  reply: { 200: ReviewerApprovalView },
}).handle((ctx, { params }) => showApproval(ctx, params.approvalId))

export const resolve = endpoint({
  id: 'dm.approvals.resolve',
  route: 'POST /approvals/:approvalId/resolve',
  summary: 'Approve, reject or send back a pending approval',
  access: reviewers,
  body: Verdict,
  reply: { 200: VerdictReceipt },
  errors: ['CONFLICT', 'UNPROCESSABLE'],
  audit: 'approval.resolve',
}).handle((ctx, { params, body }) => resolveApproval(ctx, params.approvalId, body))

export const sendToClient = endpoint({
  id: 'dm.approvals.send_to_client',
  route: 'POST /approvals/:approvalId/send-to-client',
  summary: 'Ask the tenant’s admins as well; a verdict on either is one on both',
  access: reviewers,
  body: Forward,
  reply: { 201: ForwardReceipt },
  errors: ['CONFLICT'],
  audit: 'approval.send_to_client',
}).handle((ctx, { params, body }) => sendApprovalToClient(ctx, params.approvalId, body))

export const escalate = endpoint({
  id: 'dm.approvals.escalate',
  route: 'POST /approvals/:approvalId/escalate',
  summary: 'Raise the risk of a pending approval and restart its clock',
  access: reviewers,
  body: Escalation,
  reply: { 200: EscalationReceipt },
  errors: ['CONFLICT', 'UNPROCESSABLE'],
  audit: 'approval.escalate',
}).handle((ctx, { params, body }) => escalateApproval(ctx, params.approvalId, body))

export const bulkResolve = endpoint({
  id: 'dm.approvals.bulk_resolve',
  route: 'POST /approvals/bulk/resolve',
  summary: 'Approve or reject up to 50 approvals, each for itself',
  access: reviewers,
  body: BulkVerdict,
  reply: { 200: BulkReceipt },
  audit: 'approval.bulk_resolve',
}).handle((ctx, { body }) => resolveMany(ctx, body))

export const next = endpoint({
  id: 'dm.approvals.next',
  route: 'GET /approvals/next',
  summary: 'What to look at now: riskiest, due first, not looked at by others',
  access: reviewers,
  query: NextQuery,
  reply: { 200: NextApproval },
}).handle((ctx) => nextApproval(ctx))

export const statistics = endpoint({
  id: 'dm.approvals.statistics',
  route: 'GET /approvals/statistics',
  summary: 'How long verdicts took, and what they were',
  access: reviewers,
  query: ReviewStatisticsQuery,
  reply: { 200: ReviewStatistics },
}).handle((ctx, { query }) => reviewStatistics(ctx, query))

export const claim = endpoint({
  id: 'dm.approvals.claim',
  route: 'POST /approvals/:approvalId/claim',
  summary: 'Say that you look at an approval, for 15 minutes; again to renew',
  access: reviewers,
  reply: { 200: ClaimReceipt },
  errors: ['CONFLICT'],
  audit: 'approval.claim',
}).handle((ctx, { params }) => claimApproval(ctx, params.approvalId))

export const release = endpoint({
  id: 'dm.approvals.release',
  route: 'DELETE /approvals/:approvalId/claim',
  summary: 'Release an approval that you have claimed',
  access: reviewers,
  reply: { 204: z.void() },
  errors: ['CONFLICT'],
  audit: 'approval.release',
}).handle((ctx, { params }) => unclaim(ctx, params.approvalId))
