import { defineEntity, p } from '@mikro-orm/core'
import { idColumn, instantColumn, refColumn } from '../../platform/database/columns.ts'
import { ownedByTenant } from '../../platform/database/scope.ts'

export const notificationTypes = [
  'approval_created',
  'approval_expiring',
  'activity_completed',
  'activity_failed',
  'budget_alert',
  'campaign_update',
] as const
export type NotificationType = (typeof notificationTypes)[number]

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
    read: p.boolean(),
    /** What it is about, and which one. */
    subjectKind: p.string().$type<'approvals' | 'activities' | 'campaigns' | 'webhooks'>(),
    subjectId: refColumn(),
    createdOn: instantColumn(),
  },
  indexes: [{ name: 'notifications_by_user', properties: ['userId', 'id'] }],
  filters: ownedByTenant,
})
