import type { Command } from '../context.ts'
import { User } from '../identity/entities.ts'
import { Notification, type NotificationType } from './entities.ts'

export interface NewNotification {
  tenantId: string
  /** User ids; `admins` are all active admins of the tenant. */
  to: readonly string[] | 'admins'
  type: NotificationType
  title: string
  body: string
  subjectKind: 'approvals' | 'activities' | 'campaigns' | 'webhooks'
  subjectId: string
}

/**
 * Puts a line into people's inboxes, in the transaction of what it tells of. The one who acts is not told of the own act.
 * @returns how many people are told
 */
export async function notify(cmd: Command, notification: NewNotification): Promise<number> {
  const { to, title, ...rest } = notification
  const ids = to === 'admins' ? await activeAdmins(cmd, notification.tenantId) : to
  const others = [...new Set(ids)].filter((id) => id !== cmd.actor.id)
  for (const userId of others) {
    cmd.em.create(Notification, {
      ...rest,
      id: cmd.newId(),
      userId,
      title: title.slice(0, 200),
      read: false,
      createdOn: cmd.clock.date(),
    })
  }
  return others.length
}

async function activeAdmins(cmd: Command, tenantId: string): Promise<string[]> {
  const admins = await cmd.em.find(User, { tenantId, role: 'admin', status: 'active' }, { fields: ['id'] })
  return admins.map((user) => user.id)
}
