import { z } from 'zod'
import { defineEvent } from '../../../kernel/events.ts'

export const campaignUpdate = defineEvent(
  'campaign_update',
  z.object({
    campaignId: z.string(),
    name: z.string(),
    /** As the dashboard shows it. */
    status: z.string(),
    /** While it is under review, which the dashboard shows as `draft`. */
    workflowStatus: z.string().optional(),
  }),
  { audiences: ['tenant'], webhook: true },
)
