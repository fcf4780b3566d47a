import { z } from 'zod'
import { defineJob } from '../../kernel/jobs.ts'

/** Removes bytes that belong to no asset. */
export const tidyAssetJob = defineJob('asset.tidy', z.object({ tenantId: z.string(), id: z.string() }))
