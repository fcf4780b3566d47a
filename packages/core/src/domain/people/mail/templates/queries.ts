import type { Ctx } from '../../../../kernel/context.ts'
import { notFound } from '../../../../kernel/errors.ts'
import { equals, where } from '../../../../kernel/paging-queries.ts'
import { exists, pick, select, table } from '../../../../platform/database/read.ts'
import { EmailTemplate } from './entities.ts'
import type { EmailTemplateDetail, EmailTemplateItem, EmailTemplateQuery } from './schemas.ts'

const e = table(EmailTemplate, 'e')
const columns = pick(
  e,
  'id',
  'name',
  'slug',
  'subject',
  'category',
  'isActive',
  'tenantId',
  'sendVia',
  'updatedOn',
)
const item = select(columns)
const detail = select({ ...columns, ...pick(e, 'bodyHtml', 'bodyText', 'variables') })
const source = select(pick(e, 'id', 'tenantId', 'subject', 'bodyHtml', 'bodyText', 'sendVia'))

/** More than this many templates an owner cannot have. */
export const maxTemplates = 300

/**
 * The templates of the installation, and with a tenant those that it has in their place, by category and slug.
 * Serves `GET /admin/v1/email-templates`.
 */
export async function listEmailTemplates(
  ctx: Ctx,
  query: EmailTemplateQuery = {},
): Promise<{ data: EmailTemplateItem[] }> {
  const tenantId = query['filter.tenantId']
  const condition = where(
    tenantId === undefined
      ? { sql: `${e.tenantId} is null`, params: [] }
      : { sql: `(${e.tenantId} is null or ${e.tenantId} = ?)`, params: [tenantId] },
    equals(e.category, query['filter.category']),
  )
  const data = await item.all(
    ctx.sql,
    `from ${e} where ${condition.sql} order by e.category, e.slug, e.tenant_id is not null limit ?`,
    [...condition.params, 2 * maxTemplates],
  )
  return { data }
}

/** One template with its texts. Serves `GET /admin/v1/email-templates/:templateId`. @throws DomainError `NOT_FOUND` */
export async function getEmailTemplate(ctx: Ctx, id: string): Promise<EmailTemplateDetail> {
  const found = await detail.get(ctx.sql, `from ${e} where e.id = ?`, [id])
  if (!found) throw notFound('email template')
  return found
}

/** What a mail may be made from, what the tenant has in place of the installation's first. */
export function templatesFor(ctx: Ctx, slug: string, tenantId: string | null) {
  const own = tenantId === null ? '' : 'or e.tenant_id = ?'
  return source.all(
    ctx.sql,
    `from ${e} where e.slug = ? and e.is_active and (e.tenant_id is null ${own}) order by e.tenant_id is null`,
    tenantId === null ? [slug] : [slug, tenantId],
  )
}

/** Whether a tenant has a template in place of one of the installation. */
export const isReplaced = (ctx: Ctx, slug: string): Promise<boolean> =>
  exists(ctx.sql, `from ${e} where e.slug = ? and e.tenant_id is not null`, [slug])

export const tenantExists = (ctx: Ctx, tenantId: string): Promise<boolean> =>
  exists(ctx.sql, 'from tenants where id = ?', [tenantId])
