import type { Sql } from '../../platform/database/database.ts'

/** The addresses, in lower case, of who may be sent a report: active people of the tenant, and active staff who are assigned to it. */
export async function knownAddresses(sql: Sql, tenantId: string): Promise<Set<string>> {
  const rows = await sql.all<{ email: string }>(
    `select email from users where status = 'active' and (tenant_id = ?
       or id in (select user_id from tenant_assignments where tenant_id = ?))`,
    [tenantId, tenantId],
  )
  return new Set(rows.map(({ email }) => email))
}
