import { z } from 'zod'
import { defineJob } from '../../../../kernel/jobs.ts'
import { mailGroup } from '../../../people/mail/jobs.ts'

/** Sends one mail about an invoice; the intent says which. */
export const mailBillingJob = defineJob('mail.billing', z.object({ mailId: z.string() }), mailGroup)
