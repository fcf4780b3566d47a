import { z } from 'zod'
import { defineJob, noPayload } from '../../../kernel/jobs.ts'

/**
 * One turn of a sequence: contacts are taken in, and mails that are due go out. A turn too many does nothing. It is long where the mail server is
 * slow: two at a time leave room for other work, and one of each tenant for the mails of others.
 */
export const sequenceJob = defineJob('sequence.turn', z.object({ sequenceId: z.string() }), {
  cap: 2,
  tenantCap: 1,
})

/** Finds sequences whose job was lost, every five minutes. */
export const sweepSequencesJob = defineJob('sequence.sweep', noPayload, { cron: '2-59/5 * * * *' })
