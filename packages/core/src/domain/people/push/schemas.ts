import { z } from 'zod'
import { pushPlatforms } from '../../../platform/push/push.ts'

/** A UUID that the app has made; its case does not matter. */
const deviceId = z.guid().toLowerCase()
/** One in a path, where another form names nothing. */
export const DeviceName = z.string().min(1).max(100).toLowerCase()

const pushToken = z
  .string()
  .min(1)
  .max(4_096)
  .regex(/^[\x21-\x7e]+$/, 'Must be a token as the system has given it')

export const NewDevice = z.object({
  deviceId,
  pushToken,
  platform: z.enum(pushPlatforms),
  appVersion: z.string().min(1).max(50),
})
export type NewDevice = z.output<typeof NewDevice>

export const DeviceReceipt = z.object({ deviceId: z.string(), registered: z.literal(true) })

export const DeviceChange = z.object({ pushToken })
export type DeviceChange = z.output<typeof DeviceChange>

export const DeviceChanged = z.object({ deviceId: z.string(), updated: z.literal(true) })
