import { watchInbox } from '../../domain/people/notifications/inbox.ts'
import { inboxPage } from '../../domain/people/notifications/inbox-queries.ts'
import { getPreferences, putPreferences } from '../../domain/people/notifications/preferences.ts'
import { InboxPage, InboxQuery, inboxStream, Preferences } from '../../domain/people/notifications/schemas.ts'
import { delegate } from '../../gateway/delegate.ts'
import { endpoint } from '../../gateway/endpoint.ts'
import { eventStream } from '../../gateway/stream.ts'
import * as mobile from '../mobile/notifications.ts'
import { team } from './access.ts'

export const list = endpoint({
  id: 'tenant.notifications.list',
  route: 'GET /notifications',
  summary: 'Notifications of the caller in the last 90 days, newest first',
  access: team,
  query: InboxQuery,
  reply: { 200: InboxPage },
}).handle((ctx, { query }) => inboxPage(ctx, query))

export const read = delegate(mobile.read, {
  id: 'tenant.notifications.read',
  route: 'PATCH /notifications/read',
  access: team,
})

export const preferences = endpoint({
  id: 'tenant.notifications.preferences',
  route: 'GET /notifications/preferences',
  summary: 'The notification preferences of the caller',
  access: team,
  reply: { 200: Preferences },
  errors: ['NOT_FOUND'],
}).handle((ctx) => getPreferences(ctx))

export const setPreferences = endpoint({
  id: 'tenant.notifications.set_preferences',
  route: 'PUT /notifications/preferences',
  summary: 'Replace the notification preferences of the caller',
  access: team,
  body: Preferences,
  reply: { 200: Preferences },
  errors: ['NOT_FOUND'],
  audit: 'notification.set_preferences',
}).handle((ctx, { body }) => putPreferences(ctx, body))

export const stream = eventStream({
  id: 'tenant.notifications.stream',
  route: 'GET /notifications/stream',
  summary: 'Notifications of the caller, live, resumable by Last-Event-ID',
  access: team,
  events: inboxStream,
  open: (ctx, _input, channel) => watchInbox(ctx, channel),
})
