import { z } from 'zod'
import { defineJob } from '../../../kernel/jobs.ts'

/** Tried for about half an hour: a service that is away comes back, and after that it is no news any more. */
export const sendPushJob = defineJob(
  'push.send',
  z.object({ notificationId: z.string(), pushDeviceId: z.string() }),
  { cap: 4, maxAttempts: 14 },
)
