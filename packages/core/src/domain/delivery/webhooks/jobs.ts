import { z } from 'zod'
import { defineJob } from '../../../kernel/jobs.ts'

export const deliverWebhookJob = defineJob('webhook.deliver', z.object({ deliveryId: z.string() }), {
  cap: 2,
  tenantCap: 1,
})
