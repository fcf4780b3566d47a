import type { Row } from '../../platform/database/database.ts'
import { asJson } from '../../platform/database/row.ts'
import type { Blocker } from '../activities/entities.ts'
import { preview } from '../content/preview.ts'
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

/** Longest reason that is told of an event, characters. */
const reasonChars = 300

/** A run that has ended, with the work that it was for; a probe of an agent was for none and is not told. */
export async function endedRun(
  { sql }: Ctx,
  tenantId: string,
  { runId, attempt, error }: Record<string, unknown>,
): Promise<object | undefined> {
  const row = await sql.get<Row>(
    `select x.id, x.title, r.agent_role from runs r join activities x on x.id = r.activity_id
     where r.id = ? and r.tenant_id = ?`,
    [runId as string, tenantId],
  )
  if (!row) return undefined
  const reason = typeof error === 'string' ? { error: preview(error, reasonChars) } : {}
  return { runId, activityId: row.id, title: row.title, agentRole: row.agent_role, attempt, ...reason }
}

/** A verdict of somebody else; undefined for the caller's own, and for what was settled by nobody. */
export async function verdictOfOthers(
  { sql, actor }: Ctx,
  tenantId: string,
  approvalId: string,
): Promise<object | undefined> {
  const row = await sql.get<Row>(
    `select title, type, resolution, resolution_note, resolved_by_id, resolved_by_name from approvals
     where id = ? and tenant_id = ? and resolved_by_id is not null`,
    [approvalId, tenantId],
  )
  if (!row || row.resolved_by_id === actor.id) return undefined
  return {
    approvalId,
    title: row.title,
    type: row.type,
    resolution: row.resolution,
    note: row.resolution_note,
    resolvedBy: { id: row.resolved_by_id, name: row.resolved_by_name },
  }
}

/** Work that was blocked, and why, as long as it still is. */
export async function blockedWork(
  { sql }: Ctx,
  tenantId: string,
  { activityId, blockerType }: Record<string, unknown>,
): Promise<object> {
  const row = await sql.get<Row>(
    'select title, agent_role, blocker from activities where id = ? and tenant_id = ?',
    [activityId as string, tenantId],
  )
  const blocker = asJson<Blocker>(row?.blocker)
  const isStillSo = blocker !== null && blocker.type === blockerType
  const reason = isStillSo ? { reason: preview(blocker.description, reasonChars) } : {}
  return { activityId, blockerType, title: row?.title, agentRole: row?.agent_role, ...reason }
}
