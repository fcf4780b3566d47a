import { z } from 'zod'
import { defineJob } from '../../../../kernel/jobs.ts'

/** Has what was asked for made. */
export const startRequestJob = defineJob('request.start', z.object({ requestId: z.string() }))
