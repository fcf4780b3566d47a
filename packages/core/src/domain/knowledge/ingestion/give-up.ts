import { LockMode } from '@mikro-orm/core'
import type { Ctx } from '../../../kernel/context.ts'
import { transact } from '../../../kernel/transact.ts'
import { KnowledgeFile } from '../datasets/entities.ts'
import { abandonedFiles } from './abandoned-queries.ts'

/**
 * Ends the ingestion of files that no one works on any more, with a reason, so that people can ask for it again: the job was given
 * up, or is gone. Any number of processes may do it.
 */
export async function giveUpFiles(ctx: Ctx): Promise<void> {
  for (const id of await abandonedFiles(ctx)) {
    await transact(ctx, async (txn) => {
      const file = await txn.em.findOne(KnowledgeFile, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE })
      // It may have been ingested, or asked for again, since.
      if (!file || (await abandonedFiles(txn, id)).length === 0) return
      const errorMessage =
        'The file could not be ingested, and several tries have failed. Try it again later.'
      Object.assign(file, { status: 'error', progress: 0, errorMessage, updatedOn: txn.clock.date() })
    })
  }
}
