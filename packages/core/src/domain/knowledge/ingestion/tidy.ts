import type { Ctx } from '../../../kernel/context.ts'
import { transact } from '../../../kernel/transact.ts'
import { KnowledgeFile } from '../datasets/entities.ts'
import { fileKey } from '../datasets/files.ts'
import { deleteChunksBelow } from './chunk-queries.ts'

/** Above every version. */
const all = 2 ** 31 - 1

/**
 * Handles `knowledge.tidy` jobs: removes the chunks of a file that are searched no more, all of them and its bytes when the file is
 * gone.
 */
export async function tidyKnowledge(
  ctx: Ctx,
  { tenantId, fileId }: { tenantId: string; fileId: string },
): Promise<void> {
  const file = await transact(ctx, (txn) => txn.em.findOne(KnowledgeFile, { id: fileId }))
  let more = true
  while (more) more = await deleteChunksBelow(ctx.db, fileId, file ? file.version : all)
  if (!file) await ctx.services.blobs.remove(fileKey({ tenantId, id: fileId }))
}
