import { inboxForApp } from '../../domain/notifications/inbox-queries.ts'
import { markRead } from '../../domain/notifications/read.ts'
import { MobileInbox, MobileInboxQuery, ReadMark, ReadReceipt } from '../../domain/notifications/schemas.ts'
import { endpoint } from '../../gateway/endpoint.ts'
import { team } from './access.ts'

export const list = endpoint({
  id: 'mobile.notifications.list',
  route: 'GET /notifications',
  summary: 'What the caller was told in the last 90 days, newest first',
  access: team,
  query: MobileInboxQuery,
  reply: { 200: MobileInbox },
  errors: ['VALIDATION_ERROR'],
}).handle((ctx, { query }) => inboxForApp(ctx, query))

export const read = endpoint({
  id: 'mobile.notifications.read',
  route: 'PATCH /notifications/read',
  summary: 'Mark notifications as read: those that are named, or all',
  access: team,
  body: ReadMark,
  reply: { 200: ReadReceipt },
  errors: ['VALIDATION_ERROR'],
  audit: 'notification.read',
}).handle((ctx, { body }) => markRead(ctx, body))
