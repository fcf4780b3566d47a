import type { Row } from '../../platform/database/database.ts'
import type { Ctx } from '../context.ts'

/** What a tenant is called, for somebody who may see it at this moment; undefined for anybody else. */
export async function nameOfAssigned({ sql, actor }: Ctx, tenantId: string): Promise<string | undefined> {
  if (actor.role === 'super_admin' || actor.tenantId === tenantId) {
    const row = await sql.get<Row>('select name from tenants where id = ?', [tenantId])
    return row?.name as string | undefined
  }
  const row = await sql.get<Row>(
    `select t.name from tenants t join tenant_assignments g on g.tenant_id = t.id where t.id = ? and g.user_id = ?`,
    [tenantId, actor.id],
  )
  return row?.name as string | undefined
}
