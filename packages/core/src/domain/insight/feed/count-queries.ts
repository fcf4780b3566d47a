import { type Ctx } from '../../../kernel/context.ts'
import { within } from '../../../kernel/scope.ts'
import { count, instant, nullable, type RowOf, select, table } from '../../../platform/database/read.ts'
import { Tenant } from '../../accounts/tenants/entities.ts'
import type { Overview } from './schemas.ts'

const t = table(Tenant, 't')
const standing = select({
  tenantId: t.id,
  tenantName: t.name,
  pendingApprovals: count('a.pending'),
  highRiskApprovals: count('a.risky'),
  /** When the oldest of them was asked; null when none waits. */
  oldestPendingOn: nullable(instant('a.oldest')),
  activitiesInProgress: count('x.at_work'),
  activitiesBlocked: count('x.blocked'),
  activeAgents: count('g.active'),
  agentsInError: count('g.broken'),
})
/** How one tenant stands. What people have put aside counts like everything else: this is the same for everybody. */
export type FeedCounts = RowOf<typeof standing>

/** How every tenant in scope stands, by name, in one statement however many there are. */
export function feedCounts(ctx: Ctx): Promise<FeedCounts[]> {
  const [tenants, inner] = [within(ctx.scope, 't.id'), within(ctx.scope, 'tenant_id')]
  return standing.all(
    ctx.sql,
    `from ${t}
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
}

const hourMs = 3_600_000

/** Every tenant in scope at a glance, and all of them together. Serves `GET /dm/v1/overview`. */
export async function getOverview(ctx: Ctx): Promise<Overview> {
  const all = await feedCounts(ctx)
  const now = ctx.clock.now()
  const sum = (count: (one: FeedCounts) => number) => all.reduce((total, one) => total + count(one), 0)
  return {
    tenants: all.map((one) => ({
      tenantId: one.tenantId,
      tenantName: one.tenantName,
      pendingApprovals: one.pendingApprovals,
      highRiskApprovals: one.highRiskApprovals,
      activeAgents: one.activeAgents,
      activitiesInProgress: one.activitiesInProgress,
      activitiesBlocked: one.activitiesBlocked,
      oldestPendingApprovalAgeH: one.oldestPendingOn && hoursBetween(one.oldestPendingOn.getTime(), now),
    })),
    totals: {
      pendingApprovals: sum((one) => one.pendingApprovals),
      highRiskApprovals: sum((one) => one.highRiskApprovals),
      activitiesInProgress: sum((one) => one.activitiesInProgress),
      activitiesBlocked: sum((one) => one.activitiesBlocked),
      agentsInError: sum((one) => one.agentsInError),
    },
  }
}

function hoursBetween(from: number, to: number): number {
  return Math.max(0, Math.round(((to - from) / hourMs) * 10) / 10)
}
