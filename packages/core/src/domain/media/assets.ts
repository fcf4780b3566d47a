import { LockMode } from '@mikro-orm/core'
import type { Ctx, Transaction } from '../../kernel/context.ts'
import { notFound } from '../../kernel/errors.ts'
import { transact } from '../../kernel/transact.ts'
import { Asset, type AssetRow, AssetUse } from './entities.ts'
import { tidyAssetJob } from './jobs.ts'
import { assetKey, recordAsset, viewOf } from './keys.ts'
import { getAsset } from './queries.ts'
import type { AssetChange, AssetItem } from './schemas.ts'

/** Serves `PATCH /media/v1/assets/:assetId`. @throws DomainError `NOT_FOUND` */
export function changeAsset(ctx: Ctx, id: string, change: AssetChange): Promise<AssetItem> {
  return transact(ctx, async (txn) => {
    const asset = await lockAsset(txn, id)
    const before = viewOf(asset)
    if (change.name !== undefined) asset.name = change.name
    if (change.altText !== undefined) asset.altText = change.altText || null
    if (change.tags !== undefined) asset.tags = change.tags.join('\n')
    asset.updatedOn = txn.clock.date()
    recordAsset(txn, asset, { before, after: viewOf(asset) })
    await txn.em.flush()
    return getAsset(txn, id)
  })
}

/**
 * Deletes an asset. While something uses it, its bytes stay for that; with the last use they go. Serves
 * `DELETE /media/v1/assets/:assetId`.
 * @throws DomainError `NOT_FOUND`
 */
export function deleteAsset(ctx: Ctx, id: string): Promise<void> {
  return transact(ctx, async (txn) => {
    const asset = await lockAsset(txn, id)
    recordAsset(txn, asset, { before: viewOf(asset) })
    if ((await txn.em.count(AssetUse, { assetId: id })) > 0) asset.deletedOn = txn.clock.date()
    else removeAsset(txn, asset)
  })
}

/** Removes bytes that belong to no asset: the job `asset.tidy`. */
export async function tidyAsset(ctx: Ctx, { tenantId, id }: { tenantId: string; id: string }): Promise<void> {
  const known = await transact(ctx, (txn) => txn.em.count(Asset, { id }))
  if (known === 0) await ctx.services.blobs.remove(assetKey({ tenantId, id }))
}

/** Takes an asset that nothing uses out of the database; its bytes go afterwards. */
export function removeAsset(txn: Transaction, asset: AssetRow): void {
  const { id, tenantId } = asset
  txn.em.remove(asset)
  txn.enqueue(tidyAssetJob, { tenantId, payload: { tenantId, id } })
}

async function lockAsset(txn: Transaction, id: string): Promise<AssetRow> {
  const asset = await txn.em.findOne(Asset, { id, deletedOn: null }, { lockMode: LockMode.PESSIMISTIC_WRITE })
  if (!asset) throw notFound('asset')
  return asset
}
