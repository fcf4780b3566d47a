import { getActivityForApp, listActivitiesForApp } from '../../domain/work/activities/mobile-queries.ts'
import {
  MobileActivity,
  MobileActivityPage,
  MobileActivityQuery,
} from '../../domain/work/activities/schemas.ts'
import { delegate } from '../../gateway/delegate.ts'
import { endpoint } from '../../gateway/endpoint.ts'
import * as dashboard from '../dashboard/activities.ts'
import { team } from './access.ts'

export const list = endpoint({
  id: 'mobile.activities.list',
  route: 'GET /activities',
  summary: 'Activities in few words, newest first',
  access: team,
  query: MobileActivityQuery,
  reply: { 200: MobileActivityPage },
}).handle((ctx, { query }) => listActivitiesForApp(ctx, query))

export const get = endpoint({
  id: 'mobile.activities.get',
  route: 'GET /activities/:activityId',
  summary: 'One activity with the beginning of its newest text',
  access: team,
  reply: { 200: MobileActivity },
}).handle((ctx, { params }) => getActivityForApp(ctx, params.activityId))

export const output = delegate(dashboard.output, {
  id: 'mobile.activities.output',
  route: 'GET /activities/:activityId/output',
  access: team,
})

export const stream = delegate(dashboard.stream, {
  id: 'mobile.activities.stream',
  route: 'GET /activities/:activityId/stream',
  access: team,
})

export const comment = delegate(dashboard.comment, {
  id: 'mobile.activities.comment',
  route: 'POST /activities/:activityId/comments',
  access: team,
})
