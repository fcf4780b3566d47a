import { z } from 'zod'
import { defineJob } from '../../../kernel/jobs.ts'

/** Starts what was held back until the mailbox of the tenant's admin was proved. */
export const releaseTenantJob = defineJob('tenant.release', z.object({ tenantId: z.string() }))
