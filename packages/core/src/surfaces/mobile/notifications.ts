import { markRead } from '../../domain/people/notifications/inbox.ts'
import { inboxForApp } from '../../domain/people/notifications/inbox-queries.ts'
import {
  MobileInbox,
  MobileInboxQuery,
  ReadMark,
  ReadReceipt,
} from '../../domain/people/notifications/schemas.ts'
import { endpoint } from '../../gateway/endpoint.ts'
import { team } from './access.ts'

export const list = endpoint({
  id: 'mobile.notifications.list',
  route: 'GET /notifications',
  summary: 'Notifications of the caller in the last 90 days, newest first',
  access: team,
  query: MobileInboxQuery,
  reply: { 200: MobileInbox },
}).handle((ctx, { query }) => inboxForApp(ctx, query))

export const read = endpoint({
  id: 'mobile.notifications.read',
  route: 'PATCH /notifications/read',
  summary: 'Mark notifications as read: those that are named, or all',
  access: team,
  body: ReadMark,
  reply: { 200: ReadReceipt },
  audit: 'notification.read',
}).handle((ctx, { body }) => markRead(ctx, body))
