import type { Ctx } from '../../../../kernel/context.ts'
import { equals, where } from '../../../../kernel/paging-queries.ts'
import { within } from '../../../../kernel/scope.ts'
import { count, instant, nullable, type RowOf, select, table } from '../../../../platform/database/read.ts'
import { Tenant } from '../../../accounts/tenants/entities.ts'
import { TenantAgent } from '../../../agents/configuration/entities.ts'
import type { QueueNumbers } from './queue-schemas.ts'

const dayMs = 86_400_000

const a = table(TenantAgent, 'a')
const t = table(Tenant, 't')

const numbers = select({
  tenantId: a.tenantId,
  tenantName: t.name,
  agentRole: a.role,
  agentStatus: a.status,
  tenantStatus: t.status,
  waiting: count('o.waiting'),
  active: count('o.active'),
  delayed: count('o.delayed'),
  oldest: nullable(instant('o.oldest')),
  failed: count('f.failed'),
  deadLettered: count('d.dead'),
})

/**
 * How the queue of every enabled agent role of every tenant in scope stands, by tenant and role.
 * @param of only this tenant
 */
export async function queueNumbers(ctx: Ctx, of: { tenantId?: string } = {}): Promise<QueueNumbers[]> {
  const now = ctx.clock.date()
  const condition = where(
    within(ctx.scope, 'a.tenant_id'),
    equals(a.tenantId, of.tenantId),
    // One that is enabled no more is shown as long as something of it is left.
    {
      sql: `a.status <> 'terminated' or o.agent_role is not null or d.agent_role is not null`,
      params: [],
    },
  )
  const rows = await numbers.all(
    ctx.sql,
    `from ${a} join ${t} on t.id = a.tenant_id
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

function toNumbers(
  { agentStatus, tenantStatus, oldest, ...row }: RowOf<typeof numbers>,
  now: Date,
): QueueNumbers {
  const isTenantAtWork = tenantStatus === 'active' || tenantStatus === 'trial'
  return {
    ...row,
    paused: agentStatus === 'paused' || !isTenantAtWork,
    oldestWaitingAgeS: oldest && Math.floor((now.getTime() - oldest.getTime()) / 1_000),
  }
}
