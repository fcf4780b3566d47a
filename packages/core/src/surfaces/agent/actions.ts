import {
  addComment as addCommentAct,
  createApproval as createApprovalAct,
  createSubtask as createSubtaskAct,
  reassign as reassignAct,
  reportBlocker as reportBlockerAct,
  requestReview as requestReviewAct,
} from '../../domain/work/runs/lifecycle/actions.ts'
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
} from '../../domain/work/runs/lifecycle/schemas.ts'
import { readPageForRun, searchForRun } from '../../domain/work/sources/collect.ts'
import { KnowledgeAnswer, KnowledgeQuestion, WebAddress, WebPage } from '../../domain/work/sources/schemas.ts'
import { endpoint } from '../../gateway/endpoint.ts'
import { agents } from './access.ts'

export const reportBlocker = endpoint({
  id: 'agent.actions.report_blocker',
  route: 'POST /runs/:runId/actions/report-blocker',
  summary: 'Stop until a person has dealt with what is in the way',
  access: agents,
  body: BlockerReport,
  reply: { 200: BlockerReceipt },
  errors: ['UNPROCESSABLE'],
}).handle((ctx, { params, body }) => reportBlockerAct(ctx, params.runId, body))

export const createSubtask = endpoint({
  id: 'agent.actions.create_subtask',
  route: 'POST /runs/:runId/actions/create-subtask',
  summary: 'Create a subtask for another agent role',
  access: agents,
  body: NewSubtask,
  reply: { 201: SubtaskReceipt },
  errors: ['UNPROCESSABLE'],
}).handle((ctx, { params, body }) => createSubtaskAct(ctx, params.runId, body))

export const requestReview = endpoint({
  id: 'agent.actions.request_review',
  route: 'POST /runs/:runId/actions/request-review',
  summary: 'Request a review by a person',
  access: agents,
  body: ReviewRequest,
  reply: { 201: ReviewReceipt },
  errors: ['CONFLICT', 'UNPROCESSABLE'],
}).handle((ctx, { params, body }) => requestReviewAct(ctx, params.runId, body))

export const createApproval = endpoint({
  id: 'agent.actions.create_approval',
  route: 'POST /runs/:runId/actions/create-approval',
  summary: 'Ask people to decide something',
  access: agents,
  body: NewApproval,
  reply: { 201: ApprovalReceipt },
  errors: ['UNPROCESSABLE'],
}).handle((ctx, { params, body }) => createApprovalAct(ctx, params.runId, body))

export const reassign = endpoint({
  id: 'agent.actions.reassign',
  route: 'POST /runs/:runId/actions/reassign',
  summary: 'Reassign the activity to another role or a person',
  access: agents,
  body: Reassignment,
  reply: { 201: ReassignmentReceipt },
  errors: ['UNPROCESSABLE'],
}).handle((ctx, { params, body }) => reassignAct(ctx, params.runId, body))

export const addComment = endpoint({
  id: 'agent.actions.add_comment',
  route: 'POST /runs/:runId/actions/add-comment',
  summary: 'Say something about the activity',
  access: agents,
  body: NewComment,
  reply: { 201: CommentReceipt },
  errors: ['UNPROCESSABLE'],
}).handle((ctx, { params, body }) => addCommentAct(ctx, params.runId, body))

export const knowledgeSearch = endpoint({
  id: 'agent.actions.knowledge_search',
  route: 'POST /runs/:runId/actions/knowledge-search',
  summary: 'Search the documents that the agent may search; what is found is kept as sources of its piece',
  access: agents,
  body: KnowledgeQuestion,
  reply: { 200: KnowledgeAnswer },
  errors: ['UNPROCESSABLE'],
}).handle((ctx, { params, body }) => searchForRun(ctx, params.runId, body))

export const webRead = endpoint({
  id: 'agent.actions.web_read',
  route: 'POST /runs/:runId/actions/web-read',
  summary: 'Read the main text of one public page, for agents that have the tool web_read',
  access: agents,
  body: WebAddress,
  reply: { 200: WebPage },
  errors: ['UNPROCESSABLE'],
}).handle((ctx, { params, body }) => readPageForRun(ctx, params.runId, body))
