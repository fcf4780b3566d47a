import type { Row } from '../../platform/database/database.ts'
import { asDate, asNumber } from '../../platform/database/row.ts'
import type { Ctx } from '../context.ts'
import { within } from '../scope.ts'

/** How one tenant stands. What people have put aside counts like everything else: this is the same for everybody. */
export interface FeedCounts {
  tenantId: string
  tenantName: string
  pendingApprovals: number
  highRiskApprovals: number
  /** When the oldest of them was asked; null when none waits. */
  oldestPendingOn: Date | null
  activitiesInProgress: number
  activitiesBlocked: number
  activeAgents: number
  agentsInError: number
}

/** How every tenant in scope stands, by name, in one statement however many there are. */
export async function feedCounts(ctx: Ctx): Promise<FeedCounts[]> {
  const [tenants, inner] = [within(ctx.scope, 't.id'), within(ctx.scope, 'tenant_id')]
  const rows = await ctx.sql.all<Row>(
    `select t.id, t.name, a.pending, a.risky, a.oldest, x.at_work, x.blocked, g.active, g.broken
     from tenants t
       left join (
         select tenant_id, count(*) as pending, sum(case when risk_rank = 1 then 1 else 0 end) as risky, min(created_on) as oldest
         from approvals where status = 'pending' and ${inner.sql} group by tenant_id
       ) a on a.tenant_id = t.id
       left join (
         select tenant_id, sum(case when status = 'in_progress' then 1 else 0 end) as at_work,
           sum(case when status = 'blocked' then 1 else 0 end) as blocked
         from activities where status in ('in_progress', 'blocked') and ${inner.sql} group by tenant_id
       ) x on x.tenant_id = t.id
       left join (
         select tenant_id, sum(case when status = 'active' then 1 else 0 end) as active,
           sum(case when status = 'error' then 1 else 0 end) as broken
         from tenant_agents where ${inner.sql} group by tenant_id
       ) g on g.tenant_id = t.id
     where ${tenants.sql} order by t.name, t.id`,
    [...inner.params, ...inner.params, ...inner.params, ...tenants.params],
  )
  return rows.map((row) => ({
    tenantId: row.id as string,
    tenantName: row.name as string,
    pendingApprovals: asNumber(row.pending),
    highRiskApprovals: asNumber(row.risky),
    oldestPendingOn: asDate(row.oldest),
    activitiesInProgress: asNumber(row.at_work),
    activitiesBlocked: asNumber(row.blocked),
    activeAgents: asNumber(row.active),
    agentsInError: asNumber(row.broken),
  }))
}
