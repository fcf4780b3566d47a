import { LockMode } from '@mikro-orm/core'
import type { Transaction } from '../../kernel/context.ts'
import { removeAsset } from './assets.ts'
import { Asset, type AssetRow, AssetUse, type AssetUser } from './entities.ts'
import { idsNamedIn, mostReferences } from './references.ts'

const useOf = ({ type, id }: AssetUser) => ({ usedByType: type, usedById: id })

/**
 * Notes that something uses the assets that a text names, so that it does not lose them. Doing it again changes nothing. What is no asset
 * of the tenant is left out, and so is what was deleted, unless `heirOf` uses it.
 * @param heirOf what had the text before
 */
export async function useNamedAssets(
  txn: Transaction,
  text: string,
  user: AssetUser,
  heirOf?: AssetUser,
): Promise<void> {
  const ids = idsNamedIn(text).slice(0, mostReferences)
  if (ids.length === 0) return
  const { tenantId } = user
  // Nothing that uses an asset keeps another from doing so; deleting it waits.
  const assets = await lockAssets(txn, tenantId, ids, LockMode.PESSIMISTIC_READ)
  const used = new Set(await usedBy(txn, user, ids))
  const inherited = new Set(heirOf && assets.some(isDeleted) ? await usedBy(txn, heirOf, ids) : [])
  for (const asset of assets) {
    const { id: assetId } = asset
    if (used.has(assetId) || (isDeleted(asset) && !inherited.has(assetId))) continue
    const createdOn = txn.clock.date()
    txn.em.create(AssetUse, { ...useOf(user), id: txn.newId(), tenantId, assetId, createdOn })
  }
}

/** Notes that something uses no asset any more. What was deleted meanwhile goes with its last use. @param text in which it named them */
export async function releaseNamedAssets(txn: Transaction, text: string, user: AssetUser): Promise<void> {
  const named = idsNamedIn(text)
  const ids = named.length === 0 ? [] : await usedBy(txn, user, named)
  if (ids.length === 0) return
  const assets = await lockAssets(txn, user.tenantId, ids, LockMode.PESSIMISTIC_WRITE)
  await txn.em.nativeDelete(AssetUse, { ...useOf(user), assetId: { $in: ids } })
  const deleted = assets.filter(isDeleted)
  // A use that begins in this very transaction counts as well.
  if (deleted.length > 0) await txn.em.flush()
  for (const asset of deleted)
    if ((await txn.em.count(AssetUse, { assetId: asset.id })) === 0) removeAsset(txn, asset)
}

const isDeleted = ({ deletedOn }: AssetRow) => deletedOn !== null

async function usedBy(txn: Transaction, user: AssetUser, ids: readonly string[]): Promise<string[]> {
  const uses = await txn.em.find(AssetUse, { ...useOf(user), assetId: { $in: [...ids] } })
  return uses.map(({ assetId }) => assetId)
}

/** In one order for all, so that no two wait for each other. */
function lockAssets(
  txn: Transaction,
  tenantId: string,
  ids: readonly string[],
  lockMode: LockMode.PESSIMISTIC_READ | LockMode.PESSIMISTIC_WRITE,
): Promise<AssetRow[]> {
  return txn.em.find(Asset, { tenantId, id: { $in: [...ids] } }, { lockMode, orderBy: { id: 'asc' } })
}
