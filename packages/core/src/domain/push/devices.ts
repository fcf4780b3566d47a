import { command } from '../command.ts'
import type { Command, Ctx } from '../context.ts'
import { notFound } from '../errors.ts'
import { oneTenant } from '../scope.ts'
import { deleteDevice, putDevice, putToken } from './device-queries.ts'
import type { DeviceChange, NewDevice } from './schemas.ts'

/**
 * Makes a device the caller's: it is told what the caller is told, and nobody else is through it. Serves
 * `POST /mobile/v1/push/devices`.
 */
export function registerDevice(ctx: Ctx, device: NewDevice) {
  const { deviceId, platform, appVersion } = device
  return command(ctx, async (cmd) => {
    await putDevice(cmd, { ...device, tenantId: oneTenant(cmd) })
    record(cmd, { deviceId, platform, appVersion })
    return { deviceId, registered: true as const }
  })
}

/** Gives a device its new token. Serves `PATCH /mobile/v1/push/devices/:deviceId`. @throws DomainError `NOT_FOUND` */
export function changeDevice(ctx: Ctx, deviceId: string, { pushToken }: DeviceChange) {
  return command(ctx, async (cmd) => {
    if (!(await putToken(cmd, deviceId, pushToken))) throw notFound('device')
    record(cmd, { deviceId })
    return { deviceId, updated: true as const }
  })
}

/** Tells a device nothing more. Serves `DELETE /mobile/v1/push/devices/:deviceId`. @throws DomainError `NOT_FOUND` */
export function removeDevice(ctx: Ctx, deviceId: string): Promise<void> {
  return command(ctx, async (cmd) => {
    if (!(await deleteDevice(cmd, deviceId))) throw notFound('device')
    record(cmd, { deviceId, removed: true })
  })
}

/** The token leads to a person's pocket and stands in no record. */
function record(cmd: Command, after: Record<string, unknown>): void {
  cmd.audit({ tenantId: oneTenant(cmd), resourceType: 'push_device', after })
}
