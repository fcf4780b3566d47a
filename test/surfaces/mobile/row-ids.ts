import type { TestApp } from '../../kit/app.ts'

export const idOf = ({ id }: { id: string }) => id

/** Reads ids of the rows of a tenant, newest first. */
export function rowIds(app: TestApp, tenantId: string) {
  return async (table: string, which = '1 = 1'): Promise<string[]> => {
    const rows = await app.db.sql.all<{ id: string }>(
      `select id from ${table} where tenant_id = ? and ${which} order by id desc`,
      [tenantId],
    )
    return rows.map(idOf)
  }
}
