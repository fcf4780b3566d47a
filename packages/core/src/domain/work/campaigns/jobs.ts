import { z } from 'zod'
import { defineJob } from '../../../kernel/jobs.ts'

/** Opens the activities of a campaign. */
export const planCampaignJob = defineJob('campaign.plan', z.object({ campaignId: z.string() }))
