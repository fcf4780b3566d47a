import { z } from 'zod'
import { defineJob, noPayload } from '../../../kernel/jobs.ts'
import { manyMailsGroup } from '../../people/mail/jobs.ts'

/** Sends one mail of an outreach when it is due. A turn too many does nothing. */
export const outreachJob = defineJob('outreach.send', z.object({ mailId: z.string() }), manyMailsGroup)

/** Finds mails whose job was lost, every five minutes. */
export const sweepOutreachJob = defineJob('outreach.sweep', noPayload, { cron: '4-59/5 * * * *' })
