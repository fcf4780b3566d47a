import type { Ctx } from '../../kernel/context.ts'
import { notFound } from '../../kernel/errors.ts'
import { readPage } from '../../kernel/page-queries.ts'
import { type Condition, equals, type Page, where } from '../../kernel/paging-queries.ts'
import { oneTenant, within } from '../../kernel/scope.ts'
import { pick, type RowOf, type Selection, select, table } from '../../platform/database/read.ts'
import { Asset } from './entities.ts'
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
    tags: tags === '' ? [] : tags.split('\n'),
    createdBy: { id: createdById, name: createdByName },
  }
}
