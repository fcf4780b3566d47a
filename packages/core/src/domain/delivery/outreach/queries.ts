import type { Ctx } from '../../../kernel/context.ts'
import { within } from '../../../kernel/scope.ts'
import { pick, type RowOf, select, table } from '../../../platform/database/read.ts'
import { Tenant } from '../../accounts/tenants/entities.ts'
import { OutreachMail } from './entities.ts'

const m = table(OutreachMail, 'm')
const t = table(Tenant, 't')

const named = select(pick(m, 'id'))

/** Mails that should have been tried before an instant, or whose handing over should have ended. */
export async function overdueMails(ctx: Ctx, before: Date): Promise<string[]> {
  const scope = within(ctx.scope, 'm.tenant_id')
  const rows = await named.all(
    ctx.sql,
    `from ${m} where m.until < ? and ${scope.sql} order by m.until limit 500`,
    [before, ...scope.params],
  )
  return rows.map(({ id }) => id)
}

const linked = select({ ...pick(m, 'id', 'tenantId', 'address', 'activityId'), tenantName: t.name })

/** The mail whose link this is, of whatever tenant. */
export function mailOfLink(ctx: Ctx, linkKey: string): Promise<RowOf<typeof linked> | undefined> {
  return linked.get(ctx.sql, `from ${m} join ${t} on t.id = m.tenant_id where m.link_key = ?`, [linkKey])
}
