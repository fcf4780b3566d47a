import type { Row } from '../../platform/database/database.ts'
import type { Ctx } from '../context.ts'

/** The roles that agents can have; they belong to no tenant. */
export async function listRoles({ sql }: Pick<Ctx, 'sql'>): Promise<string[]> {
  const rows = await sql.all<Row>('select role from master_agents order by role')
  return rows.map(({ role }) => role as string)
}
