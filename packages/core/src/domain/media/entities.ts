import { defineEntity, type InferEntity, p } from '@mikro-orm/core'
import { idColumn, instantColumn, refColumn } from '../../platform/database/columns.ts'
import { ownedByTenant } from '../../platform/database/scope.ts'
import type { AssetType } from '../../platform/images/kinds.ts'

export const assetKinds = ['image', 'video', 'document'] as const
export type AssetKind = (typeof assetKinds)[number]

/** An image, video or PDF of a tenant; its bytes are a blob of the tenant under the asset's id. They never change. */
export const Asset = defineEntity({
  name: 'Asset',
  tableName: 'assets',
  properties: {
    id: idColumn(),
    tenantId: refColumn(),
    name: p.string(),
    altText: p.text().strictNullable(),
    /** One a line, in the order in which they were given. */
    tags: p.text(),
    kind: p.string().$type<AssetKind>(),
    /** By what is in it, whatever it was called. */
    mimeType: p.string().$type<AssetType>(),
    sizeBytes: p.integer(),
    /** As it is shown, pixels; null for what is no raster image. */
    width: p.integer().strictNullable(),
    height: p.integer().strictNullable(),
    /** Of the bytes as they are kept, lower-case hex. */
    sha256: p.string().length(64),
    createdById: p.string(),
    createdByName: p.string(),
    createdOn: instantColumn(),
    updatedOn: instantColumn(),
    /** It was deleted while something uses it: gone for people, there for what uses it. */
    deletedOn: instantColumn().strictNullable(),
  },
  indexes: [
    { name: 'assets_by_tenant', properties: ['tenantId', 'id'] },
    { name: 'assets_size', properties: ['tenantId', 'sizeBytes'] },
  ],
  filters: ownedByTenant,
})
export type AssetRow = InferEntity<typeof Asset>

/** Something that shows assets, such as `{ type: 'text', id }`, and whose it is. */
export interface AssetUser {
  tenantId: string
  type: 'text' | 'mailing' | 'sequence_step'
  id: string
}

/** That something, such as the text of a post, shows an asset and must not lose it. */
export const AssetUse = defineEntity({
  name: 'AssetUse',
  tableName: 'asset_uses',
  properties: {
    id: idColumn(),
    tenantId: refColumn(),
    assetId: refColumn(),
    usedByType: p.string().$type<AssetUser['type']>(),
    usedById: p.string(),
    createdOn: instantColumn(),
  },
  uniques: [{ name: 'asset_uses_once', properties: ['assetId', 'usedByType', 'usedById'] }],
  indexes: [{ name: 'asset_uses_by_user', properties: ['tenantId', 'usedByType', 'usedById'] }],
  filters: ownedByTenant,
})
export const assetEntities = [Asset, AssetUse] as const
