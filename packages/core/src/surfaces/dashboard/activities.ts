import { z } from 'zod'
import { showActivity } from '../../domain/insight/outcomes/shown.ts'
import { ActivityView } from '../../domain/insight/outcomes/shown-schemas.ts'
import { getBrief } from '../../domain/work/activities/brief-queries.ts'
import { listComments } from '../../domain/work/activities/comment-queries.ts'
import { saveComment } from '../../domain/work/activities/comments.ts'
import { getOutput } from '../../domain/work/activities/detail.ts'
import { listActivities } from '../../domain/work/activities/queries.ts'
import { retryActivity } from '../../domain/work/activities/retry.ts'
import { ActivityBrief } from '../../domain/work/activities/review-schemas.ts'
import {
  ActivityOutput,
  ActivityPage,
  ActivityQuery,
  Comment,
  CommentPage,
  CommentQuery,
  RetryReceipt,
} from '../../domain/work/activities/schemas.ts'
import { watchActivity } from '../../domain/work/activities/stream.ts'
import { listWork } from '../../domain/work/activities/work-queries.ts'
import { TenantWorkQuery, WorkQueue } from '../../domain/work/activities/work-schemas.ts'
import { NewComment } from '../../domain/work/runs/lifecycle/schemas.ts'
import { endpoint } from '../../gateway/endpoint.ts'
import { eventStream } from '../../gateway/stream.ts'
import { admins, team } from './access.ts'

export const list = endpoint({
  id: 'dashboard.activities.list',
  route: 'GET /activities',
  summary: 'Activities of the tenant, newest first',
  access: team,
  query: ActivityQuery,
  reply: { 200: ActivityPage },
}).handle((ctx, { query }) => listActivities(ctx, query))

export const get = endpoint({
  id: 'dashboard.activities.get',
  route: 'GET /activities/:activityId',
  summary: 'One activity with its runs, comments and subtasks, and what became of its text',
  access: team,
  reply: { 200: ActivityView },
}).handle((ctx, { params }) => showActivity(ctx, params.activityId))

export const queue = endpoint({
  id: 'dashboard.queue',
  route: 'GET /queue',
  summary: 'Pending approvals and blocked activities, or running and failed ones',
  access: team,
  query: TenantWorkQuery,
  reply: { 200: WorkQueue },
}).handle((ctx, { query }) => listWork(ctx, query))

export const brief = endpoint({
  id: 'dashboard.activities.brief',
  route: 'GET /activities/:activityId/brief',
  summary: 'The sources of an activity: task, campaign, and the texts of the previous steps',
  access: team,
  reply: { 200: ActivityBrief },
}).handle((ctx, { params }) => getBrief(ctx, params.activityId))

export const output = endpoint({
  id: 'dashboard.activities.output',
  route: 'GET /activities/:activityId/output',
  summary: 'The newest version of the text, untrimmed',
  access: team,
  reply: { 200: ActivityOutput },
}).handle((ctx, { params }) => getOutput(ctx, params.activityId))

export const stream = eventStream({
  id: 'dashboard.activities.stream',
  route: 'GET /activities/:activityId/stream',
  summary: 'Live text and tool calls of an activity, until it ends',
  access: team,
  events: {
    text_delta: z.object({ delta: z.string(), activityId: z.string(), runId: z.string(), attempt: z.int() }),
    tool_call: z.object({ name: z.string(), input: z.unknown(), activityId: z.string() }),
    tool_result: z.object({ name: z.string(), output: z.unknown(), activityId: z.string() }),
    completed: z.object({ activityId: z.string(), status: z.literal('done') }),
    error: z.object({ activityId: z.string(), error: z.string() }),
  },
  open: (ctx, { params }, channel) => watchActivity(ctx, params.activityId, channel),
})

export const retry = endpoint({
  id: 'dashboard.activities.retry',
  route: 'POST /activities/:activityId/retry',
  summary: 'Give a failed activity another run',
  access: admins,
  reply: { 202: RetryReceipt },
  errors: ['UNPROCESSABLE'],
  audit: 'activity.retry',
}).handle((ctx, { params }) => retryActivity(ctx, params.activityId))

export const comment = endpoint({
  id: 'dashboard.activities.comment',
  route: 'POST /activities/:activityId/comments',
  summary: 'Comment on an activity; mentions wake agents and tell people',
  access: team,
  body: NewComment,
  reply: { 201: Comment },
  audit: 'activity.comment',
}).handle((ctx, { params, body }) => saveComment(ctx, params.activityId, body))

export const comments = endpoint({
  id: 'dashboard.activities.comments',
  route: 'GET /activities/:activityId/comments',
  summary: 'Comments on an activity, oldest first',
  access: team,
  query: CommentQuery,
  reply: { 200: CommentPage },
}).handle((ctx, { params, query }) => listComments(ctx, params.activityId, query))
