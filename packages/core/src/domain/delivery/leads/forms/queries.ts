import type { Ctx } from '../../../../kernel/context.ts'
import { notFound } from '../../../../kernel/errors.ts'
import { readPage } from '../../../../kernel/page-queries.ts'
import { equals, type Page, where } from '../../../../kernel/paging-queries.ts'
import { within } from '../../../../kernel/scope.ts'
import { pick, type RowOf, select, table } from '../../../../platform/database/read.ts'
import { LeadForm } from './entities.ts'
import type { FormItem, FormQuery } from './schemas.ts'

const f = table(LeadForm, 'f')
const item = select({
  ...pick(f, 'id', 'name', 'allowedOrigins', 'redirectUrls', 'thankYou', 'consentText', 'fields', 'honeypot'),
  ...pick(f, 'notify', 'active', 'received', 'dropped', 'lastReceivedOn', 'createdOn', 'updatedOn'),
})

/** The forms of a tenant, newest first. Serves `GET /dashboard/v1/lead-forms`. */
export async function listForms(ctx: Ctx, given: Partial<FormQuery> = {}): Promise<Page<FormItem>> {
  const request = { limit: 25, order: 'desc' as const, ...given }
  const rows = within(ctx.scope, 'f.tenant_id')
  const list = {
    select: item,
    from: `from ${f}`,
    id: f.id,
    rows,
    deletedBy: 'lead_form.delete',
  } as const
  return readPage(ctx, { ...list, request }, (row) => toItem(ctx, row))
}

/** Serves `GET /dashboard/v1/lead-forms/:formId`. @throws DomainError `NOT_FOUND` */
export async function getForm(ctx: Ctx, id: string): Promise<FormItem> {
  const condition = where(within(ctx.scope, 'f.tenant_id'), equals(f.id, id))
  const row = await item.get(ctx.sql, `from ${f} where ${condition.sql}`, condition.params)
  if (!row) throw notFound('form')
  return toItem(ctx, row)
}

const toItem = ({ services }: Ctx, row: RowOf<typeof item>): FormItem => ({
  ...row,
  url: `${services.settings.baseUrl}/forms/v1/${row.id}`,
})

const open = select(
  pick(
    f,
    'id',
    'tenantId',
    'allowedOrigins',
    'redirectUrls',
    'thankYou',
    'consentText',
    'fields',
    'honeypot',
  ),
)
export type OpenForm = RowOf<typeof open>

/** A form as those know it who fill it in, whichever tenant's it is. @throws DomainError `NOT_FOUND` */
export async function findForm(ctx: Ctx, id: string): Promise<OpenForm> {
  const row = await open.get(ctx.sql, `from ${f} where f.id = ?`, [id])
  if (!row) throw notFound('form')
  return row
}
