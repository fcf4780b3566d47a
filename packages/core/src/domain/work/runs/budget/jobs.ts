import { z } from 'zod'
import { defineJob } from '../../../../kernel/jobs.ts'
import { mailGroup } from '../../../people/mail/jobs.ts'

export const mailFreePoolJob = defineJob(
  'mail.free_pool',
  z.object({ mailId: z.string(), userId: z.string(), limitUsd: z.number() }),
  mailGroup,
)
