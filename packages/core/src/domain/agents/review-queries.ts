import type { Row } from '../../platform/database/database.ts'
import { asDate, asNumber } from '../../platform/database/row.ts'
import type { Ctx } from '../context.ts'
import { notFound } from '../errors.ts'
import { equals, where } from '../paging-queries.ts'
import { listRuns } from '../runs/list-queries.ts'
import { narrowed, within } from '../scope.ts'
import { getAgent } from './list-queries.ts'
import type { ReviewerAgentDetail, ReviewerAgentQuery, ReviewerAgentState } from './review-schemas.ts'

/** The agents of all tenants in scope, by tenant and role. Serves `GET /dm/v1/agents`. */
export async function listAgentStates(
  ctx: Ctx,
  query: ReviewerAgentQuery = {},
): Promise<{ data: ReviewerAgentState[] }> {
  const agents = where(
    within(ctx.scope, 'a.tenant_id'),
    equals('a.tenant_id', query.tenantId),
    equals('a.role', query['filter.role']),
  )
  const shown = where(equals('s.status', query['filter.status']))
  const rows = await ctx.sql.all<Row>(
    `select s.* from (
       select a.tenant_id, t.name as tenant_name, a.role, coalesce(a.model, m.default_model) as model,
         a.last_error_at, a.last_error_message, coalesce(o.running, 0) as running, coalesce(o.waiting, 0) as waiting,
         case when a.status = 'active' and o.running > 0 then 'running' else a.status end as status
       from tenant_agents a join master_agents m on m.role = a.role join tenants t on t.id = a.tenant_id
         left join (
           select tenant_id, agent_role, sum(case when status = 'running' then 1 else 0 end) as running,
             sum(case when status = 'pending' then 1 else 0 end) as waiting
           from runs where open = true and purpose = 'work' group by tenant_id, agent_role
         ) o on o.tenant_id = a.tenant_id and o.agent_role = a.role
       where ${agents.sql}
     ) s where ${shown.sql} order by s.tenant_name, s.tenant_id, s.role`,
    [...agents.params, ...shown.params],
  )
  return { data: rows.map(toState) }
}

/** One agent as it is at the moment. @throws DomainError `NOT_FOUND`; `FORBIDDEN` for a tenant outside the scope */
export async function agentState(ctx: Ctx, tenantId: string, role: string): Promise<ReviewerAgentState> {
  const { data } = await listAgentStates(narrowed(ctx, tenantId), { 'filter.role': role })
  if (!data[0]) throw notFound('agent', { by: 'role' })
  return data[0]
}

/**
 * One agent of a tenant with how it works, what waits for it and what it did last. Serves
 * `GET /dm/v1/agents/:tenantId/:agentRole`.
 * @throws DomainError `NOT_FOUND`; `FORBIDDEN` for a tenant outside the scope
 */
export async function getAgentForReview(
  ctx: Ctx,
  tenantId: string,
  role: string,
): Promise<ReviewerAgentDetail> {
  const own = narrowed(ctx, tenantId)
  const { tenantName, status, runningCount, queueDepth } = await agentState(own, tenantId, role)
  const { data: recentRuns } = await listRuns(own, { agentRole: role, limit: 10 })
  return {
    ...(await getAgent(own, role)),
    status,
    runningCount,
    tenantId,
    tenantName,
    queueDepth,
    recentRuns,
  }
}

function toState(row: Row): ReviewerAgentState {
  const lastErrorAt = asDate(row.last_error_at)
  return {
    tenantId: row.tenant_id as string,
    tenantName: row.tenant_name as string,
    role: row.role as string,
    status: row.status as ReviewerAgentState['status'],
    runningCount: asNumber(row.running),
    model: row.model as string,
    ...(lastErrorAt && { lastErrorAt }),
    ...(row.last_error_message ? { lastErrorMessage: row.last_error_message as string } : {}),
    queueDepth: asNumber(row.waiting),
  }
}
