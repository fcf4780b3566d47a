import { z } from 'zod'
import { defineJob } from '../../../kernel/jobs.ts'

import { channelTypes } from './entities.ts'

/** Gives tokens back to their provider; they are encrypted for the tenant. Tried for about three quarters of an hour. */
export const revokeTokensJob = defineJob(
  'channel.revoke',
  z.object({ tenantId: z.string(), channelType: z.enum(channelTypes), tokens: z.string() }),
  { cap: 2, maxAttempts: 16 },
)
