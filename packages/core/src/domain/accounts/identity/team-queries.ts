import type { Ctx } from '../../../kernel/context.ts'
import { equals, where } from '../../../kernel/paging-queries.ts'
import { within } from '../../../kernel/scope.ts'
import { count, instant, nullable, type RowOf, select, table, text } from '../../../platform/database/read.ts'
import { Tenant } from '../tenants/entities.ts'
import type { ReviewerPrincipal, ReviewerTeamQuery, TeamPrincipal, TeamQuery } from './team-schemas.ts'

const t = table(Tenant, 't')

/** Of `p`, in which people and agents stand side by side. */
const principal = select({
  id: text('p.id'),
  tenantId: t.id,
  tenantName: t.name,
  type: text<ReviewerPrincipal['type']>('p.type'),
  name: text('p.name'),
  email: nullable(text('p.email')),
  role: text('p.role'),
  status: text<ReviewerPrincipal['status']>('p.status'),
  adapter: nullable(text('p.adapter')),
  running: count('p.running'),
  lastActiveAt: nullable(instant('p.last_active_at')),
  createdOn: instant('p.created_on'),
})

/** The people and the agents of the tenant. Serves `GET /dashboard/v1/team`. */
export async function listTeam(ctx: Ctx, query: TeamQuery = {}): Promise<{ data: TeamPrincipal[] }> {
  const data = (await read(ctx, query)).map(({ tenantId: _id, tenantName: _name, ...principal }) => principal)
  return { data }
}

/** The people and the agents of all tenants in scope. Serves `GET /dm/v1/team`. */
export async function listTeamForReview(
  ctx: Ctx,
  query: ReviewerTeamQuery = {},
): Promise<{ data: ReviewerPrincipal[] }> {
  return { data: await read(ctx, query) }
}

/** Of each tenant people first, then agents, the oldest of them first. */
async function read(ctx: Ctx, query: TeamQuery & ReviewerTeamQuery): Promise<ReviewerPrincipal[]> {
  const ofPeople = where(within(ctx.scope, 'u.tenant_id'), equals('u.tenant_id', query.tenantId))
  // Reviewers whom the tenant has invited itself; others are none of its team.
  const ofGuests = where(within(ctx.scope, 'i.tenant_id'), equals('i.tenant_id', query.tenantId))
  const ofAgents = where(within(ctx.scope, 'a.tenant_id'), equals('a.tenant_id', query.tenantId))
  const wanted = where(
    equals('p.type', query['filter.type']),
    equals('p.status', query['filter.status']),
    equals('p.role', query['filter.role']),
  )
  const rows = await principal.all(
    ctx.sql,
    `from (
       select u.id, u.tenant_id, 'human' as type, u.name, u.email, u.role, u.created_on, cast(null as text) as adapter, 0 as running,
         u.last_login_at as last_active_at,
         case u.status when 'active' then 'active' when 'suspended' then 'inactive' else 'terminated' end as status
       from users u where ${ofPeople.sql}
       union all
       select u.id, i.tenant_id, 'human', u.name, u.email, u.role, u.created_on, cast(null as text), 0, u.last_login_at,
         case u.status when 'active' then 'active' when 'suspended' then 'inactive' else 'terminated' end
       from invitations i join users u on u.email = i.email and u.role = 'reviewer'
         join tenant_assignments g on g.user_id = u.id and g.tenant_id = i.tenant_id
       where i.role = 'reviewer' and i.accepted_on is not null and ${ofGuests.sql}
       union all
       select a.id, a.tenant_id, 'agent', m.name, cast(null as text), a.role, a.created_on, coalesce(a.adapter_type, m.default_adapter),
         (select count(*) from runs r where r.open = ? and r.tenant_id = a.tenant_id and r.agent_role = a.role
           and r.status = 'running' and r.purpose = 'work'),
         (select l.started_at from runs l where l.tenant_id = a.tenant_id and l.agent_role = a.role order by l.id desc limit 1),
         case a.status when 'paused' then 'inactive' when 'terminated' then 'terminated' else 'active' end
       from tenant_agents a join master_agents m on m.role = a.role where ${ofAgents.sql}
     ) p join ${t} on t.id = p.tenant_id where ${wanted.sql}
     order by t.name, t.id, p.type desc, p.created_on, p.id`,
    [...ofPeople.params, ...ofGuests.params, true, ...ofAgents.params, ...wanted.params],
  )
  return rows.map(toPrincipal)
}

function toPrincipal(row: RowOf<typeof principal>): ReviewerPrincipal {
  const { email, role, status, adapter, running, lastActiveAt, createdOn, ...known } = row
  return {
    ...known,
    ...(email ? { email } : {}),
    role,
    status,
    ...(adapter ? { agentAdapter: adapter, runningCount: running } : {}),
    ...(lastActiveAt && { lastActiveAt }),
    createdOn,
  }
}
