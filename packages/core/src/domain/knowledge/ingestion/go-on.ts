import { LockMode } from '@mikro-orm/core'
import type { Ctx } from '../../../kernel/context.ts'
import { transact } from '../../../kernel/transact.ts'
import { embeddingHeldBack } from '../../work/runs/lifecycle/embedding-run.ts'
import { KnowledgeFile } from '../datasets/entities.ts'
import { askAgain } from './ask-again.ts'
import { filesWithoutMoney, tenantsWithoutMoney } from './outdated-queries.ts'

/**
 * Has files ingested that have waited for money, where their tenants may spend again: a cap was raised, or a month has begun.
 * @param most files, over all tenants
 */
export async function goOnWithMoney(ctx: Ctx, most: number): Promise<void> {
  let left = most
  for (const tenantId of await tenantsWithoutMoney(ctx)) {
    if (left <= 0) return
    if ((await embeddingHeldBack(ctx, tenantId)) !== undefined) continue
    for (const id of await filesWithoutMoney(ctx, tenantId, left)) {
      await transact(ctx, async (txn) => {
        const file = await txn.em.findOne(KnowledgeFile, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE })
        // Another process, or a person, may have asked for it since.
        if (file?.status === 'error' && file.awaitsMoney) askAgain(txn, file)
      })
      left -= 1
    }
  }
}
