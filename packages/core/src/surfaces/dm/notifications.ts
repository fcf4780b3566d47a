import { reviewerInbox } from '../../domain/people/notifications/inbox-queries.ts'
import { ReviewerInboxPage, ReviewerInboxQuery } from '../../domain/people/notifications/schemas.ts'
import { delegate } from '../../gateway/delegate.ts'
import { endpoint } from '../../gateway/endpoint.ts'
import * as mobile from '../mobile/notifications.ts'
import { reviewers } from './access.ts'

export const list = endpoint({
  id: 'dm.notifications.list',
  route: 'GET /notifications',
  summary: 'Notifications of the caller at all assigned tenants in the last 90 days, newest first',
  access: reviewers,
  query: ReviewerInboxQuery,
  reply: { 200: ReviewerInboxPage },
}).handle((ctx, { query }) => reviewerInbox(ctx, query))

export const read = delegate(mobile.read, {
  id: 'dm.notifications.read',
  route: 'PATCH /notifications/read',
  access: reviewers,
})
