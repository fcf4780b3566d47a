import { z } from 'zod'
import { defineJob, noPayload } from '../../../kernel/jobs.ts'
import { manyMailsGroup } from '../../people/mail/jobs.ts'

/**
 * One turn of a sequence: contacts are taken in, and mails that are due go out. A turn too many does nothing. One that is long
 * gives way to those of others.
 */
export const sequenceJob = defineJob('sequence.turn', z.object({ sequenceId: z.string() }), manyMailsGroup)

/** Finds sequences whose job was lost, every five minutes. */
export const sweepSequencesJob = defineJob('sequence.sweep', noPayload, { cron: '2-59/5 * * * *' })
