import type { Ctx, Transaction } from '../../../kernel/context.ts'
import { notFound } from '../../../kernel/errors.ts'
import { oneTenant } from '../../../kernel/scope.ts'
import { transact } from '../../../kernel/transact.ts'
import { deleteDevice, putDevice, putToken } from './device-queries.ts'
import type { DeviceChange, NewDevice } from './schemas.ts'

/**
 * Makes a device the caller's: it is told what the caller is told, and no one else is through it. Serves
 * `POST /mobile/v1/push/devices`.
 */
export function registerDevice(ctx: Ctx, device: NewDevice) {
  const { deviceId, platform, appVersion } = device
  return transact(ctx, async (txn) => {
    await putDevice(txn, { ...device, tenantId: oneTenant(txn) })
    record(txn, { deviceId, platform, appVersion })
    return { deviceId, registered: true as const }
  })
}

/** Gives a device its new token. Serves `PATCH /mobile/v1/push/devices/:deviceId`. @throws DomainError `NOT_FOUND` */
export function changeDevice(ctx: Ctx, deviceId: string, { pushToken }: DeviceChange) {
  return transact(ctx, async (txn) => {
    if (!(await putToken(txn, deviceId, pushToken))) throw notFound('device')
    record(txn, { deviceId })
    return { deviceId, updated: true as const }
  })
}

/** Tells a device nothing more. Serves `DELETE /mobile/v1/push/devices/:deviceId`. @throws DomainError `NOT_FOUND` */
export function removeDevice(ctx: Ctx, deviceId: string): Promise<void> {
  return transact(ctx, async (txn) => {
    if (!(await deleteDevice(txn, deviceId))) throw notFound('device')
    record(txn, { deviceId, removed: true })
  })
}

/** The token leads to a person's pocket and stands in no record. */
function record(txn: Transaction, after: Record<string, unknown>): void {
  txn.audit({ tenantId: oneTenant(txn), resourceType: 'push_device', after })
}
