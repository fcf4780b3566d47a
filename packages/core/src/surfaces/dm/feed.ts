import { listFeed } from '../../domain/insight/feed/queries.ts'
import { ReviewerFeedPage, ReviewerFeedQuery } from '../../domain/insight/feed/schemas.ts'
import { delegate } from '../../gateway/delegate.ts'
import { endpoint } from '../../gateway/endpoint.ts'
import * as dashboard from '../dashboard/feed.ts'
import { reviewers } from './access.ts'

export const list = endpoint({
  id: 'dm.feed.list',
  route: 'GET /feed',
  summary: 'What needs the caller at all assigned tenants, the most urgent first',
  access: reviewers,
  query: ReviewerFeedQuery,
  reply: { 200: ReviewerFeedPage },
}).handle((ctx, { query }) => listFeed(ctx, query))

export const dismiss = delegate(dashboard.dismiss, {
  id: 'dm.feed.dismiss',
  route: 'POST /feed/:itemId/dismiss',
  access: reviewers,
})

export const snooze = delegate(dashboard.snooze, {
  id: 'dm.feed.snooze',
  route: 'POST /feed/:itemId/snooze',
  access: reviewers,
})
