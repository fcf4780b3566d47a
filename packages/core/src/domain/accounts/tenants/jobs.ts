import { z } from 'zod'
import { defineJob } from '../../../kernel/jobs.ts'

/** Starts what was held back until the mailbox of the tenant's admin was proved. */
export const releaseTenantJob = defineJob('tenant.release', z.object({ tenantId: z.string() }))

/** Ends a trial that is over and not paid for. */
export const endTrialJob = defineJob('subscription.trial', z.object({ subscriptionId: z.string() }))
