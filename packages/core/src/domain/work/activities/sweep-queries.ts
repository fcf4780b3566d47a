import type { Ctx } from '../../../kernel/context.ts'
import { equals, where } from '../../../kernel/paging-queries.ts'
import { within } from '../../../kernel/scope.ts'
import type { Dialect } from '../../../platform/database/database.ts'
import { pick, select, table } from '../../../platform/database/read.ts'
import { Activity } from './entities.ts'
import type { Stuck } from './sweep.ts'

const x = table(Activity, 'x')
const activity = select(pick(x, 'id', 'tenantId', 'title', 'status'))

/** An approval whose time is over is moved by its clock, which is given so long; milliseconds. */
const clockLateMs = 900_000

const stepsBefore: Record<Dialect, string> = {
  sqlite: 'json_each(x.depends_on) d',
  postgresql: 'jsonb_array_elements_text(x.depends_on) as d (value)',
}

const cancelled = `e.status = 'failed' and e.failure_reason = 'cancelled_by_reviewer'`

/** A later step: an earlier one is open, or has failed and people know it; and none is gone for good. */
const waitsForStep = (dialect: Dialect) => `x.status = 'created'
  and exists (select 1 from ${stepsBefore[dialect]} join activities e on e.id = d.value where e.status not in ('done', 'reassigned'))
  and not exists (select 1 from ${stepsBefore[dialect]} left join activities e on e.id = d.value
    where e.id is null or e.status = 'reassigned' or (${cancelled}))`

const hasRun = `x.status in ('assigned', 'in_progress', 'awaiting_approval', 'awaiting_review', 'awaiting_subtask')
  and exists (select 1 from runs r where r.activity_id = x.id and r.open = ?)`

const isWithPerson = `x.status in ('assigned', 'in_progress') and x.agent_role is null
  and exists (select 1 from users u where u.id = x.assignee_user_id and u.status = 'active')`

const asksPeople = `x.status in ('awaiting_approval', 'awaiting_review')
  and exists (select 1 from approval_links l join approvals a on a.id = l.approval_id
    where l.activity_id = x.id and l.blocking = ? and a.status = 'pending' and a.expires_at > ?)`

const waitsForSubtask = `x.status = 'awaiting_subtask' and exists (select 1 from activities s
  where s.parent_activity_id = x.id and s.blocks_parent = ? and s.status not in ('done', 'reassigned', 'failed'))`

/** A person who paused it, or an obstacle and someone there who was told of it. */
const isWithPeople = `x.status = 'blocked' and (coalesce(x.hold, '') = 'paused' or (x.blocker is not null and (
  exists (select 1 from users u where u.tenant_id = x.tenant_id and u.role = 'admin' and u.status = 'active')
  or exists (select 1 from tenant_assignments g join users u on u.id = g.user_id where g.tenant_id = x.tenant_id and u.status = 'active'))))`

/**
 * Open activities that nothing will ever move, the oldest first. What belongs to an archived campaign rests for good; what
 * a person has paused, or a tenant that is shut, is moved by people.
 * @param id looks at this one only
 */
export function stuckActivities(ctx: Ctx, id?: string): Promise<Stuck[]> {
  const { dialect } = ctx.db
  const movers = [hasRun, waitsForStep(dialect), isWithPerson, asksPeople, waitsForSubtask, isWithPeople]
  const condition = where(
    within(ctx.scope, 'x.tenant_id'),
    equals(x.id, id),
    { sql: `x.status not in ('done', 'reassigned', 'failed')`, params: [] },
    { sql: `x.campaign_id is null or c.status <> 'archived'`, params: [] },
    {
      sql: movers.map((mover) => `not (${mover})`).join('\n and '),
      params: [true, true, new Date(ctx.clock.now() - clockLateMs), true],
    },
  )
  return activity.all(
    ctx.sql,
    `from ${x} left join campaigns c on c.id = x.campaign_id where ${condition.sql} order by x.id limit 100`,
    condition.params,
  )
}
