import type { Transaction } from '../../../kernel/context.ts'
import { equals, where } from '../../../kernel/paging-queries.ts'
import { within } from '../../../kernel/scope.ts'
import { sha256Hex } from '../../../platform/crypto/hash.ts'
import { placeholders } from '../../../platform/database/database.ts'
import { type RowOf, select, table } from '../../../platform/database/read.ts'
import type { PushPlatform } from '../../../platform/push/push.ts'
import { PushDevice } from './entities.ts'
import type { NewDevice } from './schemas.ts'

/** A person's devices beyond this number are forgotten, those first that were not heard of longest. */
const most = 20

/** Held until the commit, so that a device or a token never has two owners. */
const registrationLock = 7_264

/**
 * Makes a device the caller's. Anyone who had the device or its token before, of whatever tenant, has it no more: what is told
 * them would be shown to someone else. That is why these statements look beyond the scope; they tell no one of what they find.
 */
export async function putDevice(txn: Transaction, device: NewDevice & { tenantId: string }): Promise<void> {
  const { tenantId, deviceId, platform, pushToken, appVersion } = device
  const { tx, actor } = txn
  const sessionId = actor.sessionId ?? null
  const now = txn.clock.date()
  const hash = sha256Hex(pushToken)
  await lock(txn)
  await tx.run(
    'delete from push_devices where (device_id = ? and user_id <> ?) or (token_hash = ? and device_id <> ?)',
    [deviceId, actor.id, hash, deviceId],
  )
  const known = await tx.run(
    'update push_devices set session_id = ?, platform = ?, push_token = ?, token_hash = ?, app_version = ?, updated_on = ? where device_id = ?',
    [sessionId, platform, pushToken, hash, appVersion, now, deviceId],
  )
  if (known > 0) return
  await tx.run(
    `insert into push_devices (id, tenant_id, user_id, session_id, device_id, platform, push_token, token_hash, app_version, created_on, updated_on)
     values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    [txn.newId(), tenantId, actor.id, sessionId, deviceId, platform, pushToken, hash, appVersion, now, now],
  )
  await tx.run(
    `delete from push_devices where user_id = ? and id not in
       (select id from push_devices where user_id = ? order by updated_on desc, id desc limit ${most})`,
    [actor.id, actor.id],
  )
}

/** Gives a device of the caller's another token. @returns false when there is no such device */
export async function putToken(txn: Transaction, deviceId: string, pushToken: string): Promise<boolean> {
  const own = ownDevice(txn, deviceId)
  const hash = sha256Hex(pushToken)
  await lock(txn)
  const changed = await txn.tx.run(`update push_devices set updated_on = ? where ${own.sql}`, [
    txn.clock.date(),
    ...own.params,
  ])
  if (changed === 0) return false
  await txn.tx.run('delete from push_devices where token_hash = ? and device_id <> ?', [hash, deviceId])
  await txn.tx.run(
    `update push_devices set push_token = ?, token_hash = ?, session_id = ? where ${own.sql}`,
    [pushToken, hash, txn.actor.sessionId ?? null, ...own.params],
  )
  return true
}

/** @returns false when the caller has no such device */
export async function deleteDevice(txn: Transaction, deviceId: string): Promise<boolean> {
  const own = ownDevice(txn, deviceId)
  return (await txn.tx.run(`delete from push_devices where ${own.sql}`, own.params)) > 0
}

/** Forgets the devices of a person, of whatever tenant, but those of one session. */
export async function forgetDevices(txn: Transaction, userId: string, except?: string): Promise<void> {
  const kept = except === undefined ? '' : 'and session_id is distinct from ?'
  await txn.tx.run(`delete from push_devices where user_id = ? ${kept}`, [
    userId,
    ...(except === undefined ? [] : [except]),
  ])
}

/** Forgets the devices of one session of a person. */
export async function forgetDevicesOf(txn: Transaction, userId: string, sessionId: string): Promise<void> {
  await txn.tx.run('delete from push_devices where user_id = ? and session_id = ?', [userId, sessionId])
}

const d = table(PushDevice, 'd')
const owned = select({ id: d.id, userId: d.userId })

/** The devices of some people of one tenant that can be reached. */
export function devicesOf(
  txn: Transaction,
  tenantId: string,
  userIds: readonly string[],
): Promise<Array<RowOf<typeof owned>>> {
  const platforms: readonly PushPlatform[] = txn.services.push.platforms
  const scope = within([tenantId], 'tenant_id')
  return owned.all(
    txn.tx,
    `from ${d} where ${scope.sql} and user_id in (${placeholders(userIds)})
       and platform in (${placeholders(platforms)}) order by id`,
    [...scope.params, ...userIds, ...platforms],
  )
}

const ownDevice = (txn: Transaction, deviceId: string) =>
  where(within(txn.scope, 'tenant_id'), equals('user_id', txn.actor.id), equals('device_id', deviceId))

async function lock({ tx, db }: Transaction): Promise<void> {
  if (db.dialect === 'postgresql') await tx.get('select pg_advisory_xact_lock(?)', [registrationLock])
}
