import type { Row, Sql } from '../../platform/database/database.ts'

/** Whose an attempt is. */
export interface AttemptOwner {
  id: string
  tenantId: string
  userId: string
}

/**
 * Stands before any scope: the state finds out whose it is.
 * @param now those that have expired by then are unknown
 */
export async function attemptByState(
  sql: Sql,
  platform: string,
  stateHash: string,
  now: Date,
): Promise<AttemptOwner | undefined> {
  const row = await sql.get<Row>(
    'select id, tenant_id, user_id from connect_attempts where state_hash = ? and platform = ? and expires_at > ?',
    [stateHash, platform, now],
  )
  return row && { id: row.id as string, tenantId: row.tenant_id as string, userId: row.user_id as string }
}
