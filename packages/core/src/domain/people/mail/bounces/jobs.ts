import { z } from 'zod'
import { defineJob } from '../../../../kernel/jobs.ts'
import { mailGroup } from '../jobs.ts'

/** Tells a super-admin of an address that is off. */
export const mailSuppressedJob = defineJob(
  'mail.suppressed',
  z.object({ mailId: z.string(), userId: z.string(), address: z.string(), detail: z.string() }),
  mailGroup,
)
