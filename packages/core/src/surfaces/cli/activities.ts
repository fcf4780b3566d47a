import { z } from 'zod'
import { replayActivity } from '../../domain/work/activities/replay.ts'
import { listWork } from '../../domain/work/activities/work-queries.ts'
import { WorkQuery, WorkQueue } from '../../domain/work/activities/work-schemas.ts'
import { delegate } from '../../gateway/delegate.ts'
import { endpoint } from '../../gateway/endpoint.ts'
import { eventStream } from '../../gateway/stream.ts'
import * as dm from '../dm/activities.ts'
import { staff } from './access.ts'

export const queue = endpoint({
  id: 'cli.queue',
  route: 'GET /queue',
  summary: 'Pending approvals and blocked activities, or running and failed ones',
  access: staff,
  query: WorkQuery,
  reply: { 200: WorkQueue },
}).handle((ctx, { query }) => listWork(ctx, query))

export const list = delegate(dm.list, { id: 'cli.activities.list', route: 'GET /activities', access: staff })

export const get = delegate(dm.get, {
  id: 'cli.activities.get',
  route: 'GET /activities/:id',
  access: staff,
})

export const brief = delegate(dm.brief, {
  id: 'cli.activities.brief',
  route: 'GET /activities/:id/brief',
  access: staff,
})

export const log = delegate(dm.log, {
  id: 'cli.activities.log',
  route: 'GET /activities/:id/log',
  access: staff,
})

export const stream = eventStream({
  id: 'cli.activities.stream',
  route: 'GET /activities/:id/stream',
  summary: 'The text of an activity as it is written, or what has been written at the pace of a reader',
  access: staff,
  events: {
    activity_meta: z.object({
      activityId: z.string(),
      title: z.string(),
      agentRole: z.string().nullable(),
      status: z.string(),
      /**
       * How many characters of the text the reader has; 0 at the start of a text, which replaces any previous
       * text.
       */
      position: z.int().min(0),
    }),
    text_delta: z.object({ delta: z.string() }),
    activity_completed: z.object({
      activityId: z.string(),
      status: z.string(),
      wordCount: z.int(),
      /** USD. */
      cost: z.number(),
      durationMs: z.int(),
    }),
  },
  open: (ctx, { params }, channel) => replayActivity(ctx, params.id, channel),
})

export const pause = delegate(dm.pause, {
  id: 'cli.activities.pause',
  route: 'POST /activities/:id/pause',
  access: staff,
})

export const resume = delegate(dm.resume, {
  id: 'cli.activities.resume',
  route: 'POST /activities/:id/resume',
  access: staff,
})

export const retry = delegate(dm.retry, {
  id: 'cli.activities.retry',
  route: 'POST /activities/:id/retry',
  access: staff,
})

export const cancel = delegate(dm.cancel, {
  id: 'cli.activities.cancel',
  route: 'POST /activities/:id/cancel',
  access: staff,
})

export const reassign = delegate(dm.reassign, {
  id: 'cli.activities.reassign',
  route: 'POST /activities/:id/reassign',
  access: staff,
})

export const comments = delegate(dm.comments, {
  id: 'cli.activities.comments',
  route: 'GET /activities/:id/comments',
  access: staff,
})

export const comment = delegate(dm.comment, {
  id: 'cli.activities.comment',
  route: 'POST /activities/:id/comments',
  access: staff,
})
