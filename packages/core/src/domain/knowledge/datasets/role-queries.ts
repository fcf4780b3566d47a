import type { Ctx } from '../../../kernel/context.ts'
import { within } from '../../../kernel/scope.ts'
import { pick, select, table } from '../../../platform/database/read.ts'
import { Dataset } from './entities.ts'

const d = table(Dataset, 'd')
const dataset = select(pick(d, 'id', 'slug', 'allowedAgentRoles'))

/** The datasets of a tenant that an agent may search. */
export async function datasetsOfRole(ctx: Ctx, tenantId: string, role: string): Promise<string[]> {
  const rows = await datasetsOf(ctx, tenantId)
  return rows
    .filter(({ allowedAgentRoles: roles }) => roles === null || roles.includes(role))
    .map(({ id }) => id)
}

/** What a tenant says of itself: all of its datasets but that of its competitors, as far as there is anything in them to be searched. */
export async function ownDatasets(ctx: Ctx, tenantId: string): Promise<string[]> {
  const rows = await datasetsOf(
    ctx,
    tenantId,
    'and exists (select 1 from knowledge_files f where f.dataset_id = d.id and f.enabled = true and f.version > 0)',
  )
  return rows.filter(({ slug }) => slug !== 'competitor-research').map(({ id }) => id)
}

function datasetsOf(ctx: Ctx, tenantId: string, condition = '') {
  const scope = within(ctx.scope, 'd.tenant_id')
  return dataset.all(ctx.sql, `from ${d} where d.tenant_id = ? and ${scope.sql} ${condition} order by d.id`, [
    tenantId,
    ...scope.params,
  ])
}
