import { z } from 'zod'
import { inboxPage } from '../../domain/notifications/inbox-queries.ts'
import { getPreferences, putPreferences } from '../../domain/notifications/preferences.ts'
import { InboxPage, InboxQuery, NotificationItem, Preferences } from '../../domain/notifications/schemas.ts'
import { watchInbox } from '../../domain/notifications/stream.ts'
import { delegate } from '../../gateway/delegate.ts'
import { endpoint } from '../../gateway/endpoint.ts'
import { stream } from '../../gateway/stream.ts'
import * as mobile from '../mobile/notifications.ts'
import { team } from './access.ts'

export const list = endpoint({
  id: 'tenant.notifications.list',
  route: 'GET /notifications',
  summary: 'What the caller was told in the last 90 days, newest first',
  access: team,
  query: InboxQuery,
  reply: { 200: InboxPage },
  errors: ['VALIDATION_ERROR'],
}).handle((ctx, { query }) => inboxPage(ctx, query))

export const read = delegate(mobile.read, {
  id: 'tenant.notifications.read',
  route: 'PATCH /notifications/read',
  access: team,
})

export const preferences = endpoint({
  id: 'tenant.notifications.preferences',
  route: 'GET /notifications/preferences',
  summary: 'How the caller is told of what, and when not',
  access: team,
  reply: { 200: Preferences },
  errors: ['NOT_FOUND'],
}).handle((ctx) => getPreferences(ctx))

export const setPreferences = endpoint({
  id: 'tenant.notifications.set_preferences',
  route: 'PUT /notifications/preferences',
  summary: 'Say anew how the caller is told of what, and when not',
  access: team,
  body: Preferences,
  reply: { 200: Preferences },
  errors: ['NOT_FOUND', 'VALIDATION_ERROR'],
  audit: 'notification.set_preferences',
}).handle((ctx, { body }) => putPreferences(ctx, body))

export const live = stream({
  id: 'tenant.notifications.stream',
  route: 'GET /notifications/stream',
  summary: 'What the caller is told, live, resumable by Last-Event-ID',
  access: team,
  events: { notification: NotificationItem, resync: z.object({}) },
  open: (ctx, _input, channel) => watchInbox(ctx, channel as never),
})
