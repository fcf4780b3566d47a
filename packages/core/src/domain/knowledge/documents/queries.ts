import type { Ctx } from '../../../kernel/context.ts'
import { notFound } from '../../../kernel/errors.ts'
import { readPage } from '../../../kernel/page-queries.ts'
import { equals, type Page, where } from '../../../kernel/paging-queries.ts'
import { oneTenant, within } from '../../../kernel/scope.ts'
import { pick, type RowOf, type Selection, select, table } from '../../../platform/database/read.ts'
import { Document } from './entities.ts'
import type { DocumentItem, DocumentQuery } from './schemas.ts'

const d = table(Document, 'd')
const from = `from ${d}`

const item = select(
  pick(
    d,
    'id',
    'name',
    'description',
    'mimeType',
    'sizeBytes',
    'sha256',
    'createdById',
    'createdByName',
    'createdOn',
  ),
)
const place = select({ tenantId: d.tenantId, name: d.name })

/** The documents of the context's tenant, newest first. Serves `GET /tenant/v1/documents`. */
export async function listDocuments(
  ctx: Ctx,
  given: Partial<DocumentQuery> = {},
): Promise<Page<DocumentItem>> {
  const query = { limit: 25, order: 'desc' as const, ...given }
  return readPage(
    ctx,
    {
      select: item,
      from,
      id: d.id,
      rows: where(equals(d.tenantId, oneTenant(ctx))),
      deletedBy: 'document.delete',
      request: query,
    },
    toItem,
  )
}

/** Serves `GET /tenant/v1/documents/:documentId`. @throws DomainError `NOT_FOUND` */
export async function getDocument(ctx: Ctx, id: string): Promise<DocumentItem> {
  return toItem(await find(ctx, item, id))
}

/** Where the bytes of a document are, and what it is called. @throws DomainError `NOT_FOUND` */
export function storedDocument(ctx: Ctx, id: string): Promise<RowOf<typeof place>> {
  return find(ctx, place, id)
}

async function find<Found>(ctx: Ctx, selection: Selection<Found>, id: string): Promise<Found> {
  const condition = where(within(ctx.scope, 'd.tenant_id'), equals(d.id, id))
  const row = await selection.get(ctx.sql, `${from} where ${condition.sql}`, condition.params)
  if (!row) throw notFound('document')
  return row
}

function toItem({ createdById, createdByName, ...row }: RowOf<typeof item>): DocumentItem {
  return { ...row, createdBy: { id: createdById, name: createdByName } }
}
