import { defineEntity, p } from '@mikro-orm/core'
import { idColumn, instantColumn, refColumn } from '../../../platform/database/columns.ts'
import { ownedByTenant } from '../../../platform/database/scope.ts'
import type { PushPlatform } from '../../../platform/push/push.ts'

/** A phone or tablet of one person. Anyone who logs in at it next gets it, under another id. */
export const PushDevice = defineEntity({
  name: 'PushDevice',
  tableName: 'push_devices',
  properties: {
    id: idColumn(),
    tenantId: refColumn(),
    userId: refColumn(),
    /** The login in which it was heard of last; it is told nothing more when that ends. Null for a program’s. */
    sessionId: refColumn().strictNullable(),
    /** A UUID that the app has made, lower case. */
    deviceId: p.string().length(36),
    platform: p.string().$type<PushPlatform>(),
    pushToken: p.text(),
    /** SHA-256 of the token, to find it by. */
    tokenHash: p.string().length(64),
    appVersion: p.string(),
    createdOn: instantColumn(),
    updatedOn: instantColumn(),
  },
  uniques: [
    { name: 'push_devices_device', properties: ['deviceId'] },
    { name: 'push_devices_token', properties: ['tokenHash'] },
  ],
  indexes: [{ name: 'push_devices_by_user', properties: ['userId'] }],
  filters: ownedByTenant,
})

/** `sending` until its outcome is known; what stays so was cut off and may have arrived. */
export type PushState = 'sending' | 'sent' | 'unregistered' | 'refused' | 'unknown'

/** That a notification goes to a device, written down before it does. */
export const PushIntent = defineEntity({
  name: 'PushIntent',
  tableName: 'push_intents',
  properties: {
    notificationId: refColumn().primary(),
    pushDeviceId: refColumn().primary(),
    tenantId: refColumn(),
    state: p.string().$type<PushState>(),
    at: instantColumn(),
  },
  filters: ownedByTenant,
})

export const pushEntities = [PushDevice, PushIntent]
