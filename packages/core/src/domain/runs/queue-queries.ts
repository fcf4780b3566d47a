import type { Row } from '../../platform/database/database.ts'
import { asDate, asNumber } from '../../platform/database/row.ts'
import type { Ctx } from '../context.ts'
import { equals, where } from '../paging-queries.ts'
import { within } from '../scope.ts'
import type { QueueNumbers } from './queue-schemas.ts'

const dayMs = 86_400_000

/**
 * How the queue of every enabled agent role of every tenant in scope stands, by tenant and role.
 * @param of only this tenant
 */
export async function queueNumbers(ctx: Ctx, of: { tenantId?: string } = {}): Promise<QueueNumbers[]> {
  const now = ctx.clock.date()
  const condition = where(
    within(ctx.scope, 'a.tenant_id'),
    equals('a.tenant_id', of.tenantId),
    // One that is enabled no more is shown as long as something of it is left.
    {
      sql: `a.status <> 'terminated' or o.agent_role is not null or d.agent_role is not null`,
      params: [],
    },
  )
  const rows = await ctx.sql.all<Row>(
    `select a.tenant_id, t.name as tenant_name, a.role, a.status as agent_status, t.status as tenant_status,
       o.waiting, o.active, o.delayed, o.oldest, f.failed, d.dead
     from tenant_agents a join tenants t on t.id = a.tenant_id
       left join (
         select tenant_id, agent_role,
           sum(case when status = 'running' then 1 else 0 end) as active,
           sum(case when status = 'pending' and not_before <= ? then 1 else 0 end) as waiting,
           sum(case when status = 'pending' and not_before > ? then 1 else 0 end) as delayed,
           min(case when status = 'pending' and not_before <= ? then not_before end) as oldest
         from runs where open = true and purpose = 'work' group by tenant_id, agent_role
       ) o on o.tenant_id = a.tenant_id and o.agent_role = a.role
       left join (
         select tenant_id, agent_role, count(*) as failed from runs
         where open = false and purpose = 'work' and status in ('failed', 'timeout') and completed_at > ?
         group by tenant_id, agent_role
       ) f on f.tenant_id = a.tenant_id and f.agent_role = a.role
       left join (
         select tenant_id, agent_role, count(*) as dead from runs
         where dead_lettered_at is not null group by tenant_id, agent_role
       ) d on d.tenant_id = a.tenant_id and d.agent_role = a.role
     where ${condition.sql} order by t.name, t.id, a.role`,
    [now, now, now, new Date(now.getTime() - dayMs), ...condition.params],
  )
  return rows.map((row) => toNumbers(row, now))
}

/** Serves `GET /admin/v1/system/queues` and `GET /dm/v1/agents/queues`. */
export async function listQueues(ctx: Ctx): Promise<{ data: QueueNumbers[] }> {
  return { data: await queueNumbers(ctx) }
}

function toNumbers(row: Row, now: Date): QueueNumbers {
  const oldest = asDate(row.oldest)
  const isTenantAtWork = row.tenant_status === 'active' || row.tenant_status === 'trial'
  return {
    tenantId: row.tenant_id as string,
    tenantName: row.tenant_name as string,
    agentRole: row.role as string,
    waiting: asNumber(row.waiting),
    active: asNumber(row.active),
    delayed: asNumber(row.delayed),
    failed: asNumber(row.failed),
    deadLettered: asNumber(row.dead),
    paused: row.agent_status === 'paused' || !isTenantAtWork,
    oldestWaitingAgeS: oldest && Math.floor((now.getTime() - oldest.getTime()) / 1_000),
  }
}
