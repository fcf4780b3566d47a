import { z } from 'zod'
import { defineJob, noPayload } from '../../../kernel/jobs.ts'

import { channelTypes } from './entities.ts'

/** Gives tokens or pasted credentials back to their platform; they are encrypted for the tenant. Tried for about three quarters of an hour. */
export const revokeTokensJob = defineJob(
  'channel.revoke',
  z.object({
    tenantId: z.string(),
    channelType: z.enum(channelTypes),
    tokens: z.string(),
    auth: z.enum(['oauth', 'credentials']).default('oauth'),
    account: z.record(z.string(), z.string()).default({}),
  }),
  { cap: 2, maxAttempts: 16 },
)

/** A channel was connected, again or for the first time: what has waited for it may go on. */
export const resumeChannelJob = defineJob('channel.resume', z.object({ channelId: z.string() }))

/** Gives a longer life to access tokens that end in some weeks. */
export const extendTokensJob = defineJob('channel.extend', noPayload, { cron: '20 4 * * *' })
