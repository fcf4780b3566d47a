import { getBrief } from '../../domain/activities/brief-queries.ts'
import { cancelActivity } from '../../domain/activities/cancel.ts'
import { reassignActivity } from '../../domain/activities/hand-over.ts'
import { listLog } from '../../domain/activities/log-queries.ts'
import { pauseActivity, resumeActivity } from '../../domain/activities/pause.ts'
import { getForReview, listForReview } from '../../domain/activities/review-queries.ts'
import {
  ActivityBrief,
  Cancellation,
  CancelReceipt,
  Handover,
  LogPage,
  LogQuery,
  Pause,
  PauseReceipt,
  Resumption,
  RetryReceipt,
  ReviewerActivityDetail,
  ReviewerActivityPage,
  ReviewerActivityQuery,
} from '../../domain/activities/schemas.ts'
import { ReassignmentReceipt } from '../../domain/runs/schemas.ts'
import { delegate } from '../../gateway/delegate.ts'
import { endpoint } from '../../gateway/endpoint.ts'
import * as dashboard from '../dashboard/activities.ts'
import { reviewers } from './access.ts'

export const list = endpoint({
  id: 'dm.activities.list',
  route: 'GET /activities',
  summary: 'Activities of all assigned tenants, newest first',
  access: reviewers,
  query: ReviewerActivityQuery,
  reply: { 200: ReviewerActivityPage },
  errors: ['VALIDATION_ERROR'],
}).handle((ctx, { query }) => listForReview(ctx, query))

export const detail = endpoint({
  id: 'dm.activities.get',
  route: 'GET /activities/:activityId',
  summary: 'One activity with its runs, comments and subtasks, and whether anything can be done about it',
  access: reviewers,
  reply: { 200: ReviewerActivityDetail },
  errors: ['NOT_FOUND'],
}).handle((ctx, { params }) => getForReview(ctx, params.activityId))

export const brief = endpoint({
  id: 'dm.activities.brief',
  route: 'GET /activities/:activityId/brief',
  summary: 'What a piece of work was made from: task, campaign, and the texts of the steps before it',
  access: reviewers,
  reply: { 200: ActivityBrief },
  errors: ['NOT_FOUND'],
}).handle((ctx, { params }) => getBrief(ctx, params.activityId))

export const pause = endpoint({
  id: 'dm.activities.pause',
  route: 'POST /activities/:activityId/pause',
  summary: 'Let the turn of an activity end, and begin no other',
  access: reviewers,
  body: Pause,
  reply: { 202: PauseReceipt },
  errors: ['NOT_FOUND', 'UNPROCESSABLE', 'VALIDATION_ERROR'],
  audit: 'activity.pause',
}).handle((ctx, { params, body }) => pauseActivity(ctx, params.activityId, body))

export const resume = endpoint({
  id: 'dm.activities.resume',
  route: 'POST /activities/:activityId/resume',
  summary: 'Let a paused activity go on, with everything that was said meanwhile',
  access: reviewers,
  body: Resumption,
  reply: { 202: RetryReceipt },
  errors: ['NOT_FOUND', 'UNPROCESSABLE', 'VALIDATION_ERROR'],
  audit: 'activity.resume',
}).handle((ctx, { params, body }) => resumeActivity(ctx, params.activityId, body))

export const cancel = endpoint({
  id: 'dm.activities.cancel',
  route: 'POST /activities/:activityId/cancel',
  summary: 'End an activity for good, with what could only come after it',
  access: reviewers,
  body: Cancellation,
  reply: { 200: CancelReceipt },
  errors: ['NOT_FOUND', 'UNPROCESSABLE', 'VALIDATION_ERROR'],
  audit: 'activity.cancel',
}).handle((ctx, { params, body }) => cancelActivity(ctx, params.activityId, body))

export const reassign = endpoint({
  id: 'dm.activities.reassign',
  route: 'POST /activities/:activityId/reassign',
  summary: 'Give an activity to another agent or to a person of its tenant',
  access: reviewers,
  body: Handover,
  reply: { 201: ReassignmentReceipt },
  errors: ['NOT_FOUND', 'UNPROCESSABLE', 'VALIDATION_ERROR'],
  audit: 'activity.reassign',
}).handle((ctx, { params, body }) => reassignActivity(ctx, params.activityId, body))

export const log = endpoint({
  id: 'dm.activities.log',
  route: 'GET /activities/:activityId/log',
  summary: 'What has happened to an activity, oldest first',
  access: reviewers,
  query: LogQuery,
  reply: { 200: LogPage },
  errors: ['NOT_FOUND', 'VALIDATION_ERROR'],
}).handle((ctx, { params, query }) => listLog(ctx, params.activityId, query))

export const live = delegate(dashboard.live, {
  id: 'dm.activities.stream',
  route: 'GET /activities/:activityId/stream',
  access: reviewers,
})

export const retry = delegate(dashboard.retry, {
  id: 'dm.activities.retry',
  route: 'POST /activities/:activityId/retry',
  access: reviewers,
})

export const comment = delegate(dashboard.comment, {
  id: 'dm.activities.comment',
  route: 'POST /activities/:activityId/comments',
  access: reviewers,
})

export const comments = delegate(dashboard.comments, {
  id: 'dm.activities.comments',
  route: 'GET /activities/:activityId/comments',
  access: reviewers,
})
