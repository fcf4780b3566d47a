import { z } from 'zod'
import { defineEvent } from '../../../kernel/events.ts'

export const campaignUpdate = defineEvent(
  'campaign_update',
  z.object({ campaignId: z.string(), name: z.string(), status: z.string() }),
  { audiences: ['tenant'], webhook: true },
)
