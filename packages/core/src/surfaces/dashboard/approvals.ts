import { lastOutcomes } from '../../domain/insight/outcomes/queries.ts'
import { ApprovedPieces } from '../../domain/insight/outcomes/schemas.ts'
import { showApproval } from '../../domain/insight/outcomes/shown.ts'
import { ApprovalView } from '../../domain/insight/outcomes/shown-schemas.ts'
import { getReviewHours, setReviewHours } from '../../domain/work/approvals/hours-setting.ts'
import { approvalStats, listApprovals } from '../../domain/work/approvals/queries.ts'
import { resolve as resolveApproval } from '../../domain/work/approvals/resolve.ts'
import {
  ApprovalPage,
  ApprovalQuery,
  ReviewHoursChange,
  ReviewHoursView,
  Verdict,
  VerdictReceipt,
} from '../../domain/work/approvals/schemas.ts'
import { ApprovalStats } from '../../domain/work/approvals/statistics-schemas.ts'
import { endpoint } from '../../gateway/endpoint.ts'
import { admins, team } from './access.ts'

export const list = endpoint({
  id: 'dashboard.approvals.list',
  route: 'GET /approvals',
  summary: 'Approvals of the tenant, newest first',
  access: team,
  query: ApprovalQuery,
  reply: { 200: ApprovalPage },
}).handle((ctx, { query }) => listApprovals(ctx, query))

export const stats = endpoint({
  id: 'dashboard.approvals.stats',
  route: 'GET /approvals/stats',
  summary: 'How many approvals wait, are risky, expire soon, were decided this week',
  access: team,
  reply: { 200: ApprovalStats },
}).handle((ctx) => approvalStats(ctx))

export const outcomes = endpoint({
  id: 'dashboard.approvals.outcomes',
  route: 'GET /approvals/outcomes',
  summary: 'What became of the ten pieces that the caller has approved last',
  description:
    'Figures are the totals until now; `null` where a platform does not count them, or has not been asked yet.',
  access: team,
  reply: { 200: ApprovedPieces },
}).handle((ctx) => lastOutcomes(ctx))

export const get = endpoint({
  id: 'dashboard.approvals.get',
  route: 'GET /approvals/:approvalId',
  summary: 'One approval with previews of what it is about, and what became of it',
  access: team,
  reply: { 200: ApprovalView },
}).handle((ctx, { params }) => showApproval(ctx, params.approvalId))

export const resolve = endpoint({
  id: 'dashboard.approvals.resolve',
  route: 'POST /approvals/:approvalId/resolve',
  summary: 'Approve, reject or send back a pending approval',
  access: admins,
  body: Verdict,
  reply: { 200: VerdictReceipt },
  errors: ['CONFLICT', 'UNPROCESSABLE'],
  audit: 'approval.resolve',
}).handle((ctx, { params, body }) => resolveApproval(ctx, params.approvalId, body))

export const hours = endpoint({
  id: 'dashboard.approvals.hours',
  route: 'GET /approvals/hours',
  summary: 'The working hours in which approvals are due',
  access: team,
  reply: { 200: ReviewHoursView },
}).handle((ctx) => getReviewHours(ctx))

export const setHours = endpoint({
  id: 'dashboard.approvals.set_hours',
  route: 'PUT /approvals/hours',
  summary: 'Set the working hours in which approvals are due',
  access: admins,
  body: ReviewHoursChange,
  reply: { 200: ReviewHoursView },
  audit: 'approval.hours_set',
}).handle((ctx, { body }) => setReviewHours(ctx, body))
