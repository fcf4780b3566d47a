import type { Row } from '../../platform/database/database.ts'
import { asInstant } from '../../platform/database/row.ts'
import type { Ctx } from '../context.ts'
import { notFound } from '../errors.ts'
import { readPage } from '../page-queries.ts'
import { equals, type Page, where } from '../paging-queries.ts'
import { oneTenant, within } from '../scope.ts'
import type { DocumentItem, DocumentQuery } from './schemas.ts'

const columns = `select d.id, d.tenant_id, d.name, d.description, d.mime_type, d.size_bytes, d.sha256, d.created_by_id, d.created_by_name,
  d.created_on from documents d`

/** The documents of the context's tenant, newest first. Serves `GET /tenant/v1/documents`. */
export async function listDocuments(
  ctx: Ctx,
  given: Partial<DocumentQuery> = {},
): Promise<Page<DocumentItem>> {
  const query = { limit: 25, order: 'desc' as const, ...given }
  return readPage<Row, DocumentItem>(
    ctx,
    {
      select: columns,
      id: 'd.id',
      rows: where(equals('d.tenant_id', oneTenant(ctx))),
      deletedBy: 'document.delete',
      request: query,
    },
    toItem,
  )
}

/** Serves `GET /tenant/v1/documents/:documentId`. @throws DomainError `NOT_FOUND` */
export async function getDocument(ctx: Ctx, id: string): Promise<DocumentItem> {
  return toItem(await rowOf(ctx, id))
}

/** Where the bytes of a document are, and what it is called. @throws DomainError `NOT_FOUND` */
export async function placeOf(ctx: Ctx, id: string): Promise<{ tenantId: string; name: string }> {
  const row = await rowOf(ctx, id)
  return { tenantId: row.tenant_id as string, name: row.name as string }
}

async function rowOf(ctx: Ctx, id: string): Promise<Row> {
  const condition = where(within(ctx.scope, 'd.tenant_id'), equals('d.id', id))
  const row = await ctx.sql.get<Row>(`${columns} where ${condition.sql}`, condition.params)
  if (!row) throw notFound('document')
  return row
}

function toItem(row: Row): DocumentItem {
  return {
    id: row.id as string,
    name: row.name as string,
    description: row.description as string | null,
    mimeType: row.mime_type as string,
    sizeBytes: row.size_bytes as number,
    sha256: row.sha256 as string,
    createdBy: { id: row.created_by_id as string, name: row.created_by_name as string },
    createdOn: asInstant(row.created_on),
  }
}
