import type { Ctx } from '../../../kernel/context.ts'
import { notFound } from '../../../kernel/errors.ts'
import { equals, where } from '../../../kernel/paging-queries.ts'
import { narrowed, within } from '../../../kernel/scope.ts'
import { count, like, type RowOf, select, table, text } from '../../../platform/database/read.ts'
import { TenantAgent } from '../../agents/configuration/entities.ts'
import { getAgent } from '../../agents/configuration/list-queries.ts'
import { listRuns } from '../runs/lifecycle/list-queries.ts'
import type { ReviewerAgentDetail, ReviewerAgentQuery, ReviewerAgentState } from './schemas.ts'

const a = table(TenantAgent, 'a')

const state = select({
  tenantId: text('s.tenant_id'),
  tenantName: text('s.tenant_name'),
  role: text('s.role'),
  status: text<ReviewerAgentState['status']>('s.status'),
  runningCount: count('s.running'),
  model: text('s.model'),
  lastErrorAt: like(a.lastErrorAt, 's.last_error_at'),
  lastErrorMessage: like(a.lastErrorMessage, 's.last_error_message'),
  queueDepth: count('s.waiting'),
})

/** The agents of all tenants in scope, by tenant and role. Serves `GET /dm/v1/agents`. */
export async function listAgentStates(
  ctx: Ctx,
  query: ReviewerAgentQuery = {},
): Promise<{ data: ReviewerAgentState[] }> {
  const agents = where(
    within(ctx.scope, 'a.tenant_id'),
    equals(a.tenantId, query.tenantId),
    equals(a.role, query['filter.role']),
  )
  const shown = where(equals('s.status', query['filter.status']))
  const rows = await state.all(
    ctx.sql,
    `from (
       select a.tenant_id, t.name as tenant_name, a.role, coalesce(a.model, m.default_model) as model,
         a.last_error_at, a.last_error_message, coalesce(o.running, 0) as running, coalesce(o.waiting, 0) as waiting,
         case when a.status = 'active' and o.running > 0 then 'running' else a.status end as status
       from ${a} join master_agents m on m.role = a.role join tenants t on t.id = a.tenant_id
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

function toState(row: RowOf<typeof state>): ReviewerAgentState {
  const { lastErrorAt, lastErrorMessage, ...rest } = row
  return { ...rest, ...(lastErrorAt && { lastErrorAt }), ...(lastErrorMessage && { lastErrorMessage }) }
}
