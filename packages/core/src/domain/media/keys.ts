import type { Transaction } from '../../kernel/context.ts'
import type { AssetRow } from './entities.ts'

/** Where the bytes of an asset are. */
export const assetKey = ({ tenantId, id }: { tenantId: string; id: string }) =>
  `tenants/${tenantId}/assets/${id}`

export function viewOf({ name, altText, tags, mimeType, sizeBytes, sha256 }: AssetRow) {
  return { name, altText, tags: tags.split('\n'), mimeType, sizeBytes, sha256 }
}

export function recordAsset(
  txn: Transaction,
  { id, tenantId }: Pick<AssetRow, 'id' | 'tenantId'>,
  what: { before?: unknown; after?: unknown },
): void {
  txn.audit({ tenantId, resourceType: 'asset', resourceId: id, ...what })
}
