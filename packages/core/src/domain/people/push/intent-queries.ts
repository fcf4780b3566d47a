import { firstIdAt } from '../../../platform/clock.ts'
import type { Sql } from '../../../platform/database/database.ts'
import { pick, type RowOf, select, table } from '../../../platform/database/read.ts'
import { Notification, type SubjectKind } from '../notifications/entities.ts'
import { PushDevice, type PushState } from './entities.ts'

/** A notification on its way to a device. */
export interface DuePush {
  notificationId: string
  pushDeviceId: string
}

const d = table(PushDevice, 'd')
const n = table(Notification, 'n')
const message = select({
  platform: d.platform,
  token: d.pushToken,
  tokenHash: d.tokenHash,
  tenantId: d.tenantId,
  ...pick(n, 'type', 'title', 'body', 'subjectKind', 'subjectId'),
})

export interface ClaimedPush
  extends DuePush,
    Omit<RowOf<typeof message>, 'tenantId' | 'subjectKind' | 'subjectId'> {
  subject: { kind: SubjectKind; id: string }
}

/**
 * Writes down that a notification goes to a device now, if it still should: it is unread, the device is still that of the
 * person who is told, and that person may log in. The tenant is that of both.
 * @returns undefined when it should not, or has been tried already
 */
export async function claimPush(tx: Sql, due: DuePush, at: Date): Promise<ClaimedPush | undefined> {
  const row = await message.get(
    tx,
    `from ${n}
       join ${d} on d.user_id = n.user_id and d.tenant_id = n.tenant_id
       join users u on u.id = n.user_id
       join tenants t on t.id = n.tenant_id
     where n.id = ? and d.id = ? and n.read = ? and u.status = 'active' and t.status not in ('suspended', 'cancelled')`,
    [due.notificationId, due.pushDeviceId, false],
  )
  if (!row) return undefined
  const { tenantId, subjectKind: kind, subjectId: id, ...found } = row
  const claimed = await tx.run(
    `insert into push_intents (notification_id, push_device_id, tenant_id, state, at) values (?, ?, ?, 'sending', ?)
     on conflict do nothing`,
    [due.notificationId, due.pushDeviceId, tenantId, at],
  )
  if (claimed === 0) return undefined
  return { ...due, ...found, subject: { kind, id } }
}

export async function closePush(
  tx: Sql,
  due: DuePush,
  state: Exclude<PushState, 'sending'>,
  at: Date,
): Promise<void> {
  await tx.run('update push_intents set state = ?, at = ? where notification_id = ? and push_device_id = ?', [
    state,
    at,
    due.notificationId,
    due.pushDeviceId,
  ])
}

/** Of a message that no one has got: it may be sent again. */
export async function releasePush(tx: Sql, due: DuePush): Promise<void> {
  await tx.run('delete from push_intents where notification_id = ? and push_device_id = ?', [
    due.notificationId,
    due.pushDeviceId,
  ])
}

/** Forgets a device whose token leads nowhere, unless it has got another one, or has said again since that it is there. */
export async function forgetDevice(tx: Sql, push: ClaimedPush, since: Date | undefined): Promise<void> {
  await tx.run(
    `delete from push_devices where id = ? and token_hash = ? ${since ? 'and updated_on <= ?' : ''}`,
    [push.pushDeviceId, push.tokenHash, ...(since ? [since] : [])],
  )
}

/** Of notifications that are gone. @returns how many */
export function deleteIntentsBefore(tx: Sql, instant: Date): Promise<number> {
  return tx.run('delete from push_intents where notification_id < ?', [firstIdAt(instant)])
}
