import type { Transaction } from '../../../kernel/context.ts'
import type { AssetUser } from '../../media/entities.ts'
import { namesAssets } from '../../media/references.ts'
import { releaseNamedAssets, useNamedAssets } from '../../media/uses.ts'
import { isApproved } from '../approvals/pending.ts'
import type { OutputRow } from './entities.ts'

/** A version of a text as something that uses assets. */
export const userOf = ({ id, tenantId }: Pick<OutputRow, 'id' | 'tenantId'>): AssetUser => ({
  tenantId,
  type: 'text',
  id,
})

/**
 * Notes which assets a new version names, also those that were deleted while the version before used them. That one lets go of its own,
 * unless people have approved it: it may be out, and still show them.
 */
export async function handOverAssets(
  txn: Transaction,
  output: OutputRow,
  former: OutputRow | null,
): Promise<void> {
  const heirOf = former ? userOf(former) : undefined
  await useNamedAssets(txn, output.text, userOf(output), heirOf)
  if (!former || !heirOf) return
  if (!namesAssets(former.text) || (await isApproved(txn, { id: former.activityId }, former))) return
  await releaseNamedAssets(txn, former.text, heirOf)
}
