import {
  reportBlocker as reportBlockerAct,
  createSubtask as createSubtaskAct,
  requestReview as requestReviewAct,
  createApproval as createApprovalAct,
  reassign as reassignAct,
  addComment as addCommentAct,
} from '../../domain/runs/actions.ts'
import {
  ApprovalReceipt,
  BlockerReceipt,
  BlockerReport,
  CommentReceipt,
  NewApproval,
  NewComment,
  NewSubtask,
  Reassignment,
  ReassignmentReceipt,
  ReviewReceipt,
  ReviewRequest,
  SubtaskReceipt,
} from '../../domain/runs/schemas.ts'
import { endpoint } from '../../gateway/endpoint.ts'
import { agents } from './access.ts'

export const reportBlocker = endpoint({
  id: 'agent.actions.report_blocker',
  route: 'POST /runs/:runId/actions/report-blocker',
  summary: 'Stop until a person has dealt with what is in the way',
  access: agents,
  body: BlockerReport,
  reply: { 200: BlockerReceipt },
  errors: ['UNAUTHORIZED', 'NOT_FOUND', 'VALIDATION_ERROR', 'UNPROCESSABLE'],
}).handle((ctx, { params, body }) => reportBlockerAct(ctx, params.runId, body))

export const createSubtask = endpoint({
  id: 'agent.actions.create_subtask',
  route: 'POST /runs/:runId/actions/create-subtask',
  summary: 'Give a part of the work to another agent role',
  access: agents,
  body: NewSubtask,
  reply: { 201: SubtaskReceipt },
  errors: ['UNAUTHORIZED', 'NOT_FOUND', 'VALIDATION_ERROR', 'UNPROCESSABLE'],
}).handle((ctx, { params, body }) => createSubtaskAct(ctx, params.runId, body))

export const requestReview = endpoint({
  id: 'agent.actions.request_review',
  route: 'POST /runs/:runId/actions/request-review',
  summary: 'Ask a person to look at the work',
  access: agents,
  body: ReviewRequest,
  reply: { 201: ReviewReceipt },
  errors: ['UNAUTHORIZED', 'NOT_FOUND', 'VALIDATION_ERROR', 'CONFLICT', 'UNPROCESSABLE'],
}).handle((ctx, { params, body }) => requestReviewAct(ctx, params.runId, body))

export const createApproval = endpoint({
  id: 'agent.actions.create_approval',
  route: 'POST /runs/:runId/actions/create-approval',
  summary: 'Ask people to decide something',
  access: agents,
  body: NewApproval,
  reply: { 201: ApprovalReceipt },
  errors: ['UNAUTHORIZED', 'NOT_FOUND', 'VALIDATION_ERROR', 'UNPROCESSABLE'],
}).handle((ctx, { params, body }) => createApprovalAct(ctx, params.runId, body))

export const reassign = endpoint({
  id: 'agent.actions.reassign',
  route: 'POST /runs/:runId/actions/reassign',
  summary: 'Hand the work to another role or a person',
  access: agents,
  body: Reassignment,
  reply: { 201: ReassignmentReceipt },
  errors: ['UNAUTHORIZED', 'NOT_FOUND', 'VALIDATION_ERROR', 'UNPROCESSABLE'],
}).handle((ctx, { params, body }) => reassignAct(ctx, params.runId, body))

export const addComment = endpoint({
  id: 'agent.actions.add_comment',
  route: 'POST /runs/:runId/actions/add-comment',
  summary: 'Say something about the activity',
  access: agents,
  body: NewComment,
  reply: { 201: CommentReceipt },
  errors: ['UNAUTHORIZED', 'NOT_FOUND', 'VALIDATION_ERROR', 'UNPROCESSABLE'],
}).handle((ctx, { params, body }) => addCommentAct(ctx, params.runId, body))
