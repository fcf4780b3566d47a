import { showActivityForReview } from '../../domain/insight/outcomes/shown.ts'
import { ReviewerActivityView } from '../../domain/insight/outcomes/shown-schemas.ts'
import { getBrief } from '../../domain/work/activities/brief-queries.ts'
import { cancelActivity } from '../../domain/work/activities/cancel.ts'
import { listLog } from '../../domain/work/activities/log-queries.ts'
import { pauseActivity, resumeActivity } from '../../domain/work/activities/pause.ts'
import { reassignActivity } from '../../domain/work/activities/reassign.ts'
import { listActivitiesForReview } from '../../domain/work/activities/review-queries.ts'
import {
  ActivityBrief,
  ReviewerActivityPage,
  ReviewerActivityQuery,
} from '../../domain/work/activities/review-schemas.ts'
import {
  Cancellation,
  CancelReceipt,
  Handover,
  LogPage,
  LogQuery,
  Pause,
  PauseReceipt,
  Resumption,
  RetryReceipt,
} from '../../domain/work/activities/schemas.ts'
import { ReassignmentReceipt } from '../../domain/work/runs/lifecycle/schemas.ts'
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
}).handle((ctx, { query }) => listActivitiesForReview(ctx, query))

export const get = endpoint({
  id: 'dm.activities.get',
  route: 'GET /activities/:activityId',
  summary: 'One activity with its runs, comments and subtasks, and whether anything can be done about it',
  access: reviewers,
  reply: { 200: ReviewerActivityView },
}).handle((ctx, { params }) => showActivityForReview(ctx, params.activityId))

export const brief = endpoint({
  id: 'dm.activities.brief',
  route: 'GET /activities/:activityId/brief',
  summary: 'The sources of an activity: task, campaign, and the texts of the previous steps',
  access: reviewers,
  reply: { 200: ActivityBrief },
}).handle((ctx, { params }) => getBrief(ctx, params.activityId))

export const pause = endpoint({
  id: 'dm.activities.pause',
  route: 'POST /activities/:activityId/pause',
  summary: 'Let the current run of an activity finish, and start no other',
  access: reviewers,
  body: Pause,
  reply: { 202: PauseReceipt },
  errors: ['UNPROCESSABLE'],
  audit: 'activity.pause',
}).handle((ctx, { params, body }) => pauseActivity(ctx, params.activityId, body))

export const resume = endpoint({
  id: 'dm.activities.resume',
  route: 'POST /activities/:activityId/resume',
  summary: 'Let a paused activity go on, with everything that was said meanwhile',
  access: reviewers,
  body: Resumption,
  reply: { 202: RetryReceipt },
  errors: ['UNPROCESSABLE'],
  audit: 'activity.resume',
}).handle((ctx, { params, body }) => resumeActivity(ctx, params.activityId, body))

export const cancel = endpoint({
  id: 'dm.activities.cancel',
  route: 'POST /activities/:activityId/cancel',
  summary: 'End an activity for good, with what could only come after it',
  access: reviewers,
  body: Cancellation,
  reply: { 200: CancelReceipt },
  errors: ['UNPROCESSABLE'],
  audit: 'activity.cancel',
}).handle((ctx, { params, body }) => cancelActivity(ctx, params.activityId, body))

export const reassign = endpoint({
  id: 'dm.activities.reassign',
  route: 'POST /activities/:activityId/reassign',
  summary: 'Give an activity to another agent or to a person of its tenant',
  access: reviewers,
  body: Handover,
  reply: { 201: ReassignmentReceipt },
  errors: ['UNPROCESSABLE'],
  audit: 'activity.reassign',
}).handle((ctx, { params, body }) => reassignActivity(ctx, params.activityId, body))

export const log = endpoint({
  id: 'dm.activities.log',
  route: 'GET /activities/:activityId/log',
  summary: 'What has happened to an activity, oldest first',
  access: reviewers,
  query: LogQuery,
  reply: { 200: LogPage },
}).handle((ctx, { params, query }) => listLog(ctx, params.activityId, query))

export const stream = delegate(dashboard.stream, {
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
