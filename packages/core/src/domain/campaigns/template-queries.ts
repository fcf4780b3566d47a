import type { Row } from '../../platform/database/database.ts'
import { asInstant, asJson, asNumber } from '../../platform/database/row.ts'
import type { Ctx } from '../context.ts'
import { equals, where } from '../paging-queries.ts'
import type { TemplateStep } from './entities.ts'
import type { TemplateItem, TemplateQuery } from './template-schemas.ts'

/** Every way in which pieces are made, by what is made. Serves `GET /admin/v1/activity-templates`. */
export async function listTemplates(ctx: Ctx, query: TemplateQuery = {}): Promise<{ data: TemplateItem[] }> {
  const condition = where(
    equals('deliverable_type', query['filter.deliverableType']),
    equals('status', query['filter.status']),
  )
  const rows = await ctx.sql.all<Row>(
    `select id, name, deliverable_type, status, steps, version, is_default, updated_on from activity_templates
     where ${condition.sql} order by deliverable_type, is_default desc, name, id`,
    condition.params,
  )
  return {
    data: rows.map((row) => ({
      id: row.id as string,
      name: row.name as string,
      deliverableType: row.deliverable_type as TemplateItem['deliverableType'],
      status: row.status as TemplateItem['status'],
      stepCount: asJson<TemplateStep[]>(row.steps)?.length ?? 0,
      version: asNumber(row.version),
      isDefault: row.is_default === true || row.is_default === 1,
      updatedOn: asInstant(row.updated_on),
    })),
  }
}
