import { defineEntity, p } from '@mikro-orm/core'
import { idColumn, instantColumn, refColumn } from '../../../platform/database/columns.ts'
import { ownedByTenant } from '../../../platform/database/scope.ts'
import type { DeliveryChannels } from './preference.ts'

export const notificationTypes = [
  'approval_created',
  'approval_expiring',
  'activity_completed',
  'activity_failed',
  'budget_alert',
  'campaign_update',
] as const
export type NotificationType = (typeof notificationTypes)[number]

/** Where the app has a screen for what a notification is about; `home` where it has none. */
export type SubjectKind = 'approvals' | 'activities' | 'campaigns' | 'webhooks' | 'leads' | 'home'

/** One line in one person's inbox. */
export const Notification = defineEntity({
  name: 'Notification',
  tableName: 'notifications',
  properties: {
    id: idColumn(),
    tenantId: refColumn(),
    userId: refColumn(),
    type: p.string().$type<NotificationType>(),
    title: p.string(),
    body: p.text(),
    /** False when the person wants to be told in other ways only. */
    inbox: p.boolean().default(true),
    /** It did not wait for the end of quiet hours. */
    urgent: p.boolean().default(false),
    read: p.boolean(),
    /** What it is about, and which one. */
    subjectKind: p.string().$type<SubjectKind>(),
    subjectId: refColumn(),
    createdOn: instantColumn(),
  },
  indexes: [
    { name: 'notifications_by_user', properties: ['userId', 'id'] },
    { name: 'notifications_by_read', properties: ['userId', 'inbox', 'read', 'id'] },
  ],
  filters: ownedByTenant,
})

/** How one person wants to be told; without it in the usual ways. */
export const NotificationPreference = defineEntity({
  name: 'NotificationPreference',
  tableName: 'notification_preferences',
  properties: {
    userId: idColumn(),
    tenantId: refColumn(),
    ways: p.json().$type<Partial<Record<NotificationType, DeliveryChannels>>>(),
    /** `HH:MM` in the zone, both or neither. */
    quietFrom: p.string().length(5).strictNullable(),
    quietTo: p.string().length(5).strictNullable(),
    /** Null for the tenant's. */
    timezone: p.string().strictNullable(),
    updatedOn: instantColumn(),
  },
  filters: ownedByTenant,
})
