import { z } from 'zod'
import { changeDevice, registerDevice, removeDevice } from '../../domain/people/push/devices.ts'
import {
  DeviceChange,
  DeviceChanged,
  DeviceName,
  DeviceReceipt,
  NewDevice,
} from '../../domain/people/push/schemas.ts'
import { endpoint } from '../../gateway/endpoint.ts'
import { team } from './access.ts'

export const register = endpoint({
  id: 'mobile.push.register',
  route: 'POST /push/devices',
  summary: 'Register this device for notifications of the caller, and of no one else from then on',
  access: team,
  takesCredential: true,
  body: NewDevice,
  reply: { 201: DeviceReceipt },
  audit: 'push_device.register',
}).handle((ctx, { body }) => registerDevice(ctx, body))

export const change = endpoint({
  id: 'mobile.push.change',
  route: 'PATCH /push/devices/:deviceId',
  summary: 'Give a device the new token of its system',
  access: team,
  takesCredential: true,
  params: { deviceId: DeviceName },
  body: DeviceChange,
  reply: { 200: DeviceChanged },
  audit: 'push_device.change',
}).handle((ctx, { params, body }) => changeDevice(ctx, params.deviceId, body))

export const remove = endpoint({
  id: 'mobile.push.remove',
  route: 'DELETE /push/devices/:deviceId',
  summary: 'Tell a device nothing more',
  access: team,
  params: { deviceId: DeviceName },
  reply: { 204: z.void() },
  audit: 'push_device.remove',
}).handle((ctx, { params }) => removeDevice(ctx, params.deviceId))
