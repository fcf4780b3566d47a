import type { Row } from '../../platform/database/database.ts'
import type { Ctx } from '../context.ts'
import { within } from '../scope.ts'
import type { Stuck } from './sweep.ts'

/** Open activities without a mover. A step that waits for an earlier one is moved by it, whatever that waits for. */
export async function stuckActivities(ctx: Ctx): Promise<Stuck[]> {
  const scope = within(ctx.scope, 'x.tenant_id')
  const rows = await ctx.sql.all<Row>(
    `select x.id, x.tenant_id, x.title, x.status from activities x
     where ${scope.sql} and x.status not in ('done', 'reassigned', 'failed', 'blocked')
       and not exists (select 1 from runs r where r.activity_id = x.id and r.open = ?)
       and not exists (select 1 from approval_links l join approvals a on a.id = l.approval_id
         where l.activity_id = x.id and a.status = 'pending')
       and not (x.status = 'awaiting_subtask' and exists (select 1 from activities s
         where s.parent_activity_id = x.id and s.blocks_parent = ? and s.status not in ('done', 'reassigned', 'failed')))
       and not (x.status = 'created' and exists (select 1 from activities e where e.period_id = x.period_id
         and e.piece = x.piece and e.step_number < x.step_number and e.status <> 'done'))
       and x.assignee_user_id is null
     order by x.id limit 100`,
    [...scope.params, true, true],
  )
  return rows.map((row) => ({
    id: row.id as string,
    tenantId: row.tenant_id as string,
    title: row.title as string,
    status: row.status as string,
  }))
}
