import { z } from 'zod'
import { defineJob } from '../../../kernel/jobs.ts'
import { mailGroup } from '../mail/jobs.ts'

export const mailNotificationJob = defineJob(
  'mail.notification',
  z.object({ mailId: z.string(), notificationId: z.string() }),
  mailGroup,
)
