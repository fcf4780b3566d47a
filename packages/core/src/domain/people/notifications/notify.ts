import type { Transaction } from '../../../kernel/context.ts'
import { queueMail } from '../mail/jobs.ts'
import { queuePushes } from '../push/send.ts'
import { Notification, type NotificationType, type SubjectKind } from './entities.ts'
import { notificationAdded } from './events.ts'
import { mailNotificationJob } from './jobs.ts'
import { waitUntil } from './preference.ts'
import { recipientsOf } from './preference-queries.ts'

export interface NewNotification {
  tenantId: string
  /** User ids; `admins` are all active admins of the tenant, `team` its members as well. */
  to: readonly string[] | 'admins' | 'team'
  type: NotificationType
  title: string
  body: string
  subjectKind: SubjectKind
  subjectId: string
  /** Does not wait for the end of anybody's quiet hours: an approval of high risk. */
  urgent?: boolean
}

/**
 * Tells people something, in the transaction of what it tells of and in the ways that each of them wants: a line in the inbox, a
 * push to the devices, a mail. In quiet hours push and mail wait. The one who acts is not told of the own act.
 * @returns how many people are told
 */
export async function notify(txn: Transaction, notification: NewNotification): Promise<number> {
  const { to, title, urgent = false, ...rest } = notification
  const { tenantId, type } = notification
  const now = txn.clock.date()
  const recipients = await recipientsOf(txn.tx, tenantId, typeof to === 'string' ? to : [...new Set(to)])
  const pushes: Array<{ notificationId: string; userId: string; runAt: Date | undefined }> = []
  let told = 0
  for (const { userId, preference } of recipients) {
    const { inbox, push, mail } = preference.ways[type]
    if (userId === txn.actor.id || !(inbox || push || mail)) continue
    told += 1
    const notificationId = txn.newId()
    const runAt = waitUntil(preference, urgent, now)
    txn.insert(Notification, {
      ...rest,
      id: notificationId,
      userId,
      title: title.slice(0, 200),
      inbox,
      urgent,
      read: false,
      createdOn: now,
    })
    if (push) pushes.push({ notificationId, userId, runAt })
    if (mail) queueMail(txn, mailNotificationJob, { tenantId, payload: { notificationId }, runAt })
    if (inbox) tellStream(txn, { tenantId, userId, notificationId })
  }
  await queuePushes(txn, tenantId, pushes)
  return told
}

function tellStream(
  txn: Transaction,
  told: { tenantId: string; userId: string; notificationId: string },
): void {
  const { tenantId, userId, notificationId } = told
  txn.emit(notificationAdded, { tenantId, subject: userId, data: { notificationId } })
}
