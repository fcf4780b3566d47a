import type { Sql } from '../../platform/database/database.ts'

/** What the company of a tenant is called; nothing for staff, who belong to none. */
export async function companyNames(sql: Sql, tenantId: string | null): Promise<string[]> {
  if (tenantId === null) return []
  const row = await sql.get<{ name: string; legal_name: string | null }>(
    'select t.name, p.legal_name from tenants t left join tenant_profiles p on p.tenant_id = t.id where t.id = ?',
    [tenantId],
  )
  return row ? [row.name, ...(row.legal_name === null ? [] : [row.legal_name])] : []
}
