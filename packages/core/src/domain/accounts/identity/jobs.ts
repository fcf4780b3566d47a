import { z } from 'zod'
import { defineJob } from '../../../kernel/jobs.ts'
import { mailGroup } from '../../people/mail/jobs.ts'

const mail = { mailId: z.string() }

/** `token` is encrypted for the invitation. */
export const mailInvitationJob = defineJob(
  'mail.invitation',
  z.object({ ...mail, invitationId: z.string(), token: z.string() }),
  mailGroup,
)

export const mailProofJob = defineJob(
  'mail.mailbox_proof',
  z.object({ ...mail, userId: z.string() }),
  mailGroup,
)

/** `at` in ISO 8601. */
export const mailPasswordChangedJob = defineJob(
  'mail.password_changed',
  z.object({ ...mail, userId: z.string(), at: z.string() }),
  mailGroup,
)

export const mailResetJob = defineJob(
  'mail.password_reset',
  z.object({ ...mail, userId: z.string(), requestId: z.string() }),
  mailGroup,
)

/** Opens a request for a new password; `email` is encrypted. */
export const openResetJob = defineJob('password.forgot', z.object({ email: z.string() }))
