import { z } from 'zod'
import { defineJob } from '../../../kernel/jobs.ts'
import { mailGroup } from '../../people/mail/jobs.ts'

/** Mails a newsletter to one who works on it. */
export const testMailJob = defineJob(
  'mailing.test',
  z.object({ mailId: z.string(), activityId: z.string(), userId: z.string() }),
  mailGroup,
)
