import { dismissItem, snoozeItem } from '../../domain/feed/marks.ts'
import { listFeed } from '../../domain/feed/queries.ts'
import { FeedPage, FeedQuery, PutAside, Snooze } from '../../domain/feed/schemas.ts'
import { endpoint } from '../../gateway/endpoint.ts'
import { team } from './access.ts'

export const list = endpoint({
  id: 'dashboard.feed.list',
  route: 'GET /feed',
  summary: 'What needs the caller, the most urgent first',
  access: team,
  query: FeedQuery,
  reply: { 200: FeedPage },
  errors: ['VALIDATION_ERROR'],
}).handle((ctx, { query }) => listFeed(ctx, query))

export const dismiss = endpoint({
  id: 'dashboard.feed.dismiss',
  route: 'POST /feed/:itemId/dismiss',
  summary: 'Put an item aside until something new happens to it',
  access: team,
  reply: { 200: PutAside },
  errors: ['NOT_FOUND', 'UNPROCESSABLE'],
  audit: 'feed.dismiss',
}).handle((ctx, { params }) => dismissItem(ctx, params.itemId))

export const snooze = endpoint({
  id: 'dashboard.feed.snooze',
  route: 'POST /feed/:itemId/snooze',
  summary: 'Put an item aside for a while',
  access: team,
  body: Snooze,
  reply: { 200: PutAside },
  errors: ['NOT_FOUND', 'VALIDATION_ERROR'],
  audit: 'feed.snooze',
}).handle((ctx, { params, body }) => snoozeItem(ctx, params.itemId, body))
