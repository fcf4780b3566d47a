import { z } from 'zod'
import { defineJob, noPayload } from '../../../kernel/jobs.ts'

/** Reads a file, cuts it into chunks and embeds them. Parsers take memory: two at a time over all processes. */
export const ingestJob = defineJob('knowledge.ingest', z.object({ fileId: z.string() }), {
  cap: 2,
  maxAttempts: 4,
})

/** One job a file: what is asked for while it waits folds into it, while it is running has it done once more. */
export const fileToIngest = ({ id, tenantId }: { id: string; tenantId: string }) => ({
  tenantId,
  payload: { fileId: id },
  uniqueKey: `${ingestJob.kind}:${id}`,
})

/** Has files embedded whose vectors are of another model than the present one, or that have none. */
export const embedAgainJob = defineJob('knowledge.embed_again', noPayload, {
  cron: '3-59/5 * * * *',
  maxAttempts: 1,
})

/** Removes chunks that are searched no more, and bytes that belong to no file. */
export const tidyKnowledgeJob = defineJob(
  'knowledge.tidy',
  z.object({ tenantId: z.string(), fileId: z.string() }),
)
