import { z } from 'zod'
import { getBrief } from '../../domain/activities/brief-queries.ts'
import { listComments } from '../../domain/activities/comment-queries.ts'
import { addComment } from '../../domain/activities/comments.ts'
import { getActivity, getOutput } from '../../domain/activities/detail.ts'
import { listActivities } from '../../domain/activities/queries.ts'
import { retryActivity } from '../../domain/activities/retry.ts'
import {
  ActivityBrief,
  ActivityDetail,
  ActivityOutput,
  ActivityPage,
  ActivityQuery,
  Comment,
  CommentPage,
  CommentQuery,
  RetryReceipt,
} from '../../domain/activities/schemas.ts'
import { watchActivity } from '../../domain/activities/stream.ts'
import { listWork } from '../../domain/activities/work-queries.ts'
import { TenantWorkQuery, WorkQueue } from '../../domain/activities/work-schemas.ts'
import { NewComment } from '../../domain/runs/schemas.ts'
import { endpoint } from '../../gateway/endpoint.ts'
import { stream } from '../../gateway/stream.ts'
import { admins, team } from './access.ts'

export const list = endpoint({
  id: 'dashboard.activities.list',
  route: 'GET /activities',
  summary: 'Activities of the tenant, newest first',
  access: team,
  query: ActivityQuery,
  reply: { 200: ActivityPage },
  errors: ['VALIDATION_ERROR'],
}).handle((ctx, { query }) => listActivities(ctx, query))

export const detail = endpoint({
  id: 'dashboard.activities.get',
  route: 'GET /activities/:activityId',
  summary: 'One activity with its runs, comments and subtasks',
  access: team,
  reply: { 200: ActivityDetail },
  errors: ['NOT_FOUND'],
}).handle((ctx, { params }) => getActivity(ctx, params.activityId))

export const queue = endpoint({
  id: 'dashboard.queue',
  route: 'GET /queue',
  summary: 'What waits for a verdict and what stands still, or what runs and what has failed',
  access: team,
  query: TenantWorkQuery,
  reply: { 200: WorkQueue },
  errors: ['VALIDATION_ERROR'],
}).handle((ctx, { query }) => listWork(ctx, query))

export const brief = endpoint({
  id: 'dashboard.activities.brief',
  route: 'GET /activities/:activityId/brief',
  summary: 'What a piece of work was made from: task, campaign, and the texts of the steps before it',
  access: team,
  reply: { 200: ActivityBrief },
  errors: ['NOT_FOUND'],
}).handle((ctx, { params }) => getBrief(ctx, params.activityId))

export const output = endpoint({
  id: 'dashboard.activities.output',
  route: 'GET /activities/:activityId/output',
  summary: 'The newest version of the text, untrimmed',
  access: team,
  reply: { 200: ActivityOutput },
  errors: ['NOT_FOUND'],
}).handle((ctx, { params }) => getOutput(ctx, params.activityId))

export const live = stream({
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
  errors: ['NOT_FOUND'],
  open: (ctx, { params }, channel) => watchActivity(ctx, params.activityId, channel),
})

export const retry = endpoint({
  id: 'dashboard.activities.retry',
  route: 'POST /activities/:activityId/retry',
  summary: 'Give a failed activity another run',
  access: admins,
  reply: { 202: RetryReceipt },
  errors: ['NOT_FOUND', 'UNPROCESSABLE'],
  audit: 'activity.retry',
}).handle((ctx, { params }) => retryActivity(ctx, params.activityId))

export const comment = endpoint({
  id: 'dashboard.activities.comment',
  route: 'POST /activities/:activityId/comments',
  summary: 'Comment on an activity; mentions wake agents and tell people',
  access: team,
  body: NewComment,
  reply: { 201: Comment },
  errors: ['NOT_FOUND', 'VALIDATION_ERROR'],
  audit: 'activity.comment',
}).handle((ctx, { params, body }) => addComment(ctx, params.activityId, body))

export const comments = endpoint({
  id: 'dashboard.activities.comments',
  route: 'GET /activities/:activityId/comments',
  summary: 'Comments on an activity, oldest first',
  access: team,
  query: CommentQuery,
  reply: { 200: CommentPage },
  errors: ['NOT_FOUND', 'VALIDATION_ERROR'],
}).handle((ctx, { params, query }) => listComments(ctx, params.activityId, query))
