import type { Ctx } from '../../../kernel/context.ts'
import { preview } from '../../../kernel/text.ts'
import { pick, select, table } from '../../../platform/database/read.ts'
import { Tenant } from '../../accounts/tenants/entities.ts'
import { Activity } from '../../work/activities/entities.ts'
import { Approval } from '../../work/approvals/entities.ts'
import { Run } from '../../work/runs/entities.ts'

const t = table(Tenant, 't')
const r = table(Run, 'r')
const x = table(Activity, 'x')
const a = table(Approval, 'a')

const named = select({ name: t.name })

/** What a tenant is called, for someone who may see it at this moment; undefined for anybody else. */
export async function nameOfAssigned({ sql, actor }: Ctx, tenantId: string): Promise<string | undefined> {
  if (actor.role === 'super_admin' || actor.tenantId === tenantId) {
    const row = await named.get(sql, `from ${t} where t.id = ?`, [tenantId])
    return row?.name
  }
  const row = await named.get(
    sql,
    `from ${t} join tenant_assignments g on g.tenant_id = t.id where t.id = ? and g.user_id = ?`,
    [tenantId, actor.id],
  )
  return row?.name
}

/** Longest reason that is told of an event, characters. */
const reasonChars = 300

const ended = select({ activityId: x.id, title: x.title, agentRole: r.agentRole })

/** A run that has ended, with the work that it was for; a probe of an agent was for none and is not told. */
export async function endedRun(
  { sql }: Ctx,
  tenantId: string,
  { runId, attempt, error }: { runId: string; attempt: number; error?: string },
) {
  const row = await ended.get(
    sql,
    `from ${r} join ${x} on x.id = r.activity_id where r.id = ? and r.tenant_id = ?`,
    [runId, tenantId],
  )
  if (!row) return undefined
  const reason = error !== undefined ? { error: preview(error, reasonChars) } : {}
  return { runId, ...row, attempt, ...reason }
}

const verdict = select({
  ...pick(a, 'title', 'type', 'resolution'),
  note: a.resolutionNote,
  resolvedById: a.resolvedById,
  resolvedByName: a.resolvedByName,
})

/** A verdict of someone else; undefined for the caller's own, and for what was settled by no one. */
export async function verdictOfOthers({ sql, actor }: Ctx, tenantId: string, approvalId: string) {
  const row = await verdict.get(
    sql,
    `from ${a} where id = ? and tenant_id = ? and resolved_by_id is not null`,
    [approvalId, tenantId],
  )
  if (!row) return undefined
  const { resolvedById: id, resolvedByName: name, resolution, ...told } = row
  if (id === null || id === actor.id || name === null || resolution === null) return undefined
  return { approvalId, ...told, resolution, resolvedBy: { id, name } }
}

const work = select(pick(x, 'title', 'agentRole', 'blocker'))

/** Work that was blocked, and why, as long as it still is. */
export async function blockedWork(
  { sql }: Ctx,
  tenantId: string,
  { activityId, blockerType }: { activityId: string; blockerType: string },
) {
  const row = await work.get(sql, `from ${x} where id = ? and tenant_id = ?`, [activityId, tenantId])
  const blocker = row?.blocker
  const isStillSo = blocker && blocker.type === blockerType
  const reason = isStillSo ? { reason: preview(blocker.description, reasonChars) } : {}
  const about = row && { title: row.title, agentRole: row.agentRole }
  return { activityId, blockerType, ...about, ...reason }
}
