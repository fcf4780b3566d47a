import type { Command } from '../context.ts'
import { within } from '../scope.ts'

/** Ids of the reviewers who work for a tenant. */
export async function reviewersOf(cmd: Command, tenantId: string): Promise<string[]> {
  const scope = within(cmd.scope, 'g.tenant_id')
  const rows = await cmd.tx.all<{ id: string }>(
    `select u.id from tenant_assignments g join users u on u.id = g.user_id
     where g.tenant_id = ? and ${scope.sql} and u.role = 'reviewer' and u.status = 'active'`,
    [tenantId, ...scope.params],
  )
  return rows.map(({ id }) => id)
}
