import type { Row, Sql } from '../../platform/database/database.ts'
import { asDate, asJson } from '../../platform/database/row.ts'
import type { App, AssistantAccess, Role } from '../context.ts'

/** Reads that stand before any scope: they find out whose it is. */

export interface KeyOwner {
  keyId: string
  userId: string
  name: string
  email: string
  role: Exclude<Role, 'agent'>
  appAccess: App[]
  tenantId: string | null
  tenantIds: string[] | null
  assistantAccess: AssistantAccess
  userStatus: string
  /** Of the user's own tenant; null for staff. */
  tenantStatus: string | null
  expiresAt: Date | null
  revokedAt: Date | null
}

export async function keyOwner(sql: Sql, keyHash: string): Promise<KeyOwner | undefined> {
  const row = await sql.get<Row>(
    `select k.id, k.tenant_ids, k.assistant_access, k.expires_at, k.revoked_at, u.id as user_id, u.name, u.email, u.role, u.app_access, u.tenant_id, u.status, t.status as tenant_status
     from api_keys k join users u on u.id = k.user_id left join tenants t on t.id = u.tenant_id where k.key_hash = ?`,
    [keyHash],
  )
  if (!row) return undefined
  return {
    keyId: row.id as string,
    userId: row.user_id as string,
    name: row.name as string,
    email: row.email as string,
    role: row.role as KeyOwner['role'],
    appAccess: asJson<App[]>(row.app_access) ?? [],
    tenantId: row.tenant_id as string | null,
    tenantIds: asJson<string[]>(row.tenant_ids),
    assistantAccess: row.assistant_access as AssistantAccess,
    userStatus: row.status as string,
    tenantStatus: row.tenant_status as string | null,
    expiresAt: asDate(row.expires_at),
    revokedAt: asDate(row.revoked_at),
  }
}

/** Whether a user may still use what was issued with a session or an API key: both live, and the user a super-admin. */
export async function mayImpersonate(sql: Sql, userId: string, grantId: string, now: Date): Promise<boolean> {
  const row = await sql.get<Row>(
    `select u.app_access from users u where u.id = ? and u.status = 'active' and u.role = 'super_admin'
       and (exists (select 1 from sessions s where s.id = ? and s.user_id = u.id and s.expires_at > ?)
         or exists (select 1 from api_keys k where k.id = ? and k.user_id = u.id and k.revoked_at is null
           and (k.expires_at is null or k.expires_at > ?)))`,
    [userId, grantId, now, grantId, now],
  )
  return asJson<App[]>(row?.app_access)?.includes('manage') ?? false
}

export async function assignedTenants(sql: Sql, userId: string): Promise<string[]> {
  const rows = await sql.all<Row>(
    'select tenant_id from tenant_assignments where user_id = ? order by tenant_id',
    [userId],
  )
  return rows.map((row) => row.tenant_id as string)
}

export async function tenantStatus(sql: Sql, tenantId: string): Promise<string | undefined> {
  const row = await sql.get<Row>('select status from tenants where id = ?', [tenantId])
  return row?.status as string | undefined
}

/** Whose run it is, and what its agent is called. */
export async function runOwner(
  sql: Sql,
  runId: string,
): Promise<{ tenantId: string; agentName: string } | undefined> {
  const row = await sql.get<Row>(
    'select r.tenant_id, coalesce(m.name, r.agent_role) as name from runs r left join master_agents m on m.role = r.agent_role where r.id = ?',
    [runId],
  )
  return row && { tenantId: row.tenant_id as string, agentName: row.name as string }
}

/** Notes when keys were last used; a later use that another process has noted already stays. */
export async function markUsed(tx: Sql, uses: ReadonlyMap<string, Date>): Promise<void> {
  // In the order of the ids, so that two processes never wait for each other.
  for (const [id, at] of [...uses].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    await tx.run(
      'update api_keys set last_used_at = ? where id = ? and (last_used_at is null or last_used_at < ?)',
      [at, id, at],
    )
  }
}
