import type { Ctx } from '../../kernel/context.ts'
import { notFound } from '../../kernel/errors.ts'
import { readPage } from '../../kernel/page-queries.ts'
import { type Condition, equals, type Page, where } from '../../kernel/paging-queries.ts'
import { oneTenant, within } from '../../kernel/scope.ts'
import { placeholders } from '../../platform/database/database.ts'
import { pick, type RowOf, type Selection, select, table } from '../../platform/database/read.ts'
import { Asset, type AssetUser } from './entities.ts'
import { idsNamedIn, mostReferences, referenceOf } from './references.ts'
import type { AssetItem, AssetQuery } from './schemas.ts'

const a = table(Asset, 'a')
const from = `from ${a}`
const isThere: Condition = { sql: 'a.deleted_on is null', params: [] }

const item = select(
  pick(
    a,
    'id',
    'name',
    'altText',
    'tags',
    'kind',
    'mimeType',
    'sizeBytes',
    'width',
    'height',
    'sha256',
    'createdById',
    'createdByName',
    'createdOn',
    'updatedOn',
  ),
)
const stored = select(pick(a, 'id', 'tenantId', 'name', 'mimeType', 'sizeBytes', 'width', 'sha256'))
export type StoredAsset = RowOf<typeof stored>
const named = select(pick(a, 'id', 'tenantId', 'name', 'altText', 'mimeType', 'sizeBytes', 'width', 'sha256'))
/** An asset that a text names. */
export type NamedAsset = RowOf<typeof named>

/** The assets of the context's tenant, newest first. Serves `GET /media/v1/assets`. */
export async function listAssets(ctx: Ctx, given: Partial<AssetQuery> = {}): Promise<Page<AssetItem>> {
  const query = { limit: 25, order: 'desc' as const, ...given }
  return readPage(
    ctx,
    {
      select: item,
      from,
      id: a.id,
      rows: where(equals(a.tenantId, oneTenant(ctx))),
      filters: [isThere, equals(a.kind, query['filter.kind']), tagged(query['filter.tag'])],
      search: { words: query.search, texts: [a.name, a.altText, a.tags] },
      deletedBy: 'asset.delete',
      request: query,
    },
    toItem,
  )
}

/** Serves `GET /media/v1/assets/:assetId`. @throws DomainError `NOT_FOUND` */
export async function getAsset(ctx: Ctx, id: string): Promise<AssetItem> {
  return toItem(await find(ctx, item, id))
}

/** Where the bytes of an asset are, and what they are. @throws DomainError `NOT_FOUND` */
export function storedAsset(ctx: Ctx, id: string): Promise<StoredAsset> {
  return find(ctx, stored, id)
}

/**
 * The assets of a tenant that a text names, by their ids: those that were not deleted, and those that `user`, whose text it is, uses. Of a
 * text with very many the first ones.
 */
export async function namedAssets(
  ctx: Ctx,
  text: string,
  { tenantId, type, id }: AssetUser,
): Promise<Map<string, NamedAsset>> {
  const ids = idsNamedIn(text).slice(0, mostReferences)
  if (ids.length === 0) return new Map()
  const rows = await named.all(
    ctx.sql,
    `${from} where a.tenant_id = ? and a.id in (${placeholders(ids)}) and (a.deleted_on is null or exists (
      select 1 from asset_uses u where u.asset_id = a.id and u.used_by_type = ? and u.used_by_id = ?))`,
    [tenantId, ...ids, type, id],
  )
  return new Map(rows.map((row) => [row.id, row]))
}

/** An asset of whatever tenant, also one that was deleted while something uses it: for an address that opens it without a login. */
export async function linkedAsset(ctx: Ctx, id: string): Promise<StoredAsset | undefined> {
  return stored.get(ctx.sql, `${from} where a.id = ?`, [id])
}

async function find<Found>(ctx: Ctx, selection: Selection<Found>, id: string): Promise<Found> {
  const condition = where(within(ctx.scope, 'a.tenant_id'), equals(a.id, id), isThere)
  const row = await selection.get(ctx.sql, `${from} where ${condition.sql}`, condition.params)
  if (!row) throw notFound('asset')
  return row
}

/** Tags are lines. */
function tagged(tag: string | undefined): Condition | undefined {
  if (tag === undefined) return undefined
  const literal = tag.replace(/[!%_]/g, '!$&')
  return { sql: `? || a.tags || ? like ? escape '!'`, params: ['\n', '\n', `%\n${literal}\n%`] }
}

function toItem({ createdById, createdByName, tags, ...row }: RowOf<typeof item>): AssetItem {
  return {
    ...row,
    reference: referenceOf(row.id),
    tags: tags === '' ? [] : tags.split('\n'),
    createdBy: { id: createdById, name: createdByName },
  }
}
