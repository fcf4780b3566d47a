import { dismissItem, snoozeItem } from '../../domain/insight/feed/dismissals.ts'
import { listFeed } from '../../domain/insight/feed/queries.ts'
import { Dismissal, FeedPage, FeedQuery, Snooze } from '../../domain/insight/feed/schemas.ts'
import { endpoint } from '../../gateway/endpoint.ts'
import { team } from './access.ts'

export const list = endpoint({
  id: 'dashboard.feed.list',
  route: 'GET /feed',
  summary: 'What needs the caller, the most urgent first',
  access: team,
  query: FeedQuery,
  reply: { 200: FeedPage },
}).handle((ctx, { query }) => listFeed(ctx, query))

export const dismiss = endpoint({
  id: 'dashboard.feed.dismiss',
  route: 'POST /feed/:itemId/dismiss',
  summary: 'Put an item aside until something new happens to it',
  access: team,
  reply: { 200: Dismissal },
  errors: ['UNPROCESSABLE'],
  audit: 'feed.dismiss',
}).handle((ctx, { params }) => dismissItem(ctx, params.itemId))

export const snooze = endpoint({
  id: 'dashboard.feed.snooze',
  route: 'POST /feed/:itemId/snooze',
  summary: 'Put an item aside for a while',
  access: team,
  body: Snooze,
  reply: { 200: Dismissal },
  audit: 'feed.snooze',
}).handle((ctx, { params, body }) => snoozeItem(ctx, params.itemId, body))
