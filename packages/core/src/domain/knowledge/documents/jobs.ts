import { z } from 'zod'
import { defineJob } from '../../../kernel/jobs.ts'

/** Removes bytes that belong to no document. */
export const tidyDocumentJob = defineJob('document.tidy', z.object({ tenantId: z.string(), id: z.string() }))
