import { z } from 'zod'
import { defineJob } from '../../../kernel/jobs.ts'

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

/** Removes chunks that are searched no more, and bytes that belong to no file. */
export const tidyKnowledgeJob = defineJob(
  'knowledge.tidy',
  z.object({ tenantId: z.string(), fileId: z.string() }),
)
