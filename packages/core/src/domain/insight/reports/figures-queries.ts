import type { Ctx } from '../../../kernel/context.ts'
import { madeWithin } from '../../../kernel/date-range.ts'
import { type Condition, where } from '../../../kernel/paging-queries.ts'
import { within } from '../../../kernel/scope.ts'
import { placeholders } from '../../../platform/database/database.ts'
import { count, nullable, select, text } from '../../../platform/database/read.ts'
import type { FigureRow } from './figures.ts'

export interface FiguresQuery {
  tenantId: string
  /** The first instant, and the first after the last. */
  from: Date
  until: Date
  /** Empty for all. */
  campaignIds: readonly string[]
}

const join = `left join campaigns c on c.id = x.campaign_id left join master_agents m on m.role = x.agent_role`
const group = 'group by x.campaign_id, c.name, x.agent_role, m.name'

/** What each sum is for; `x` are runs or activities. */
const line = {
  campaignId: nullable(text('x.campaign_id')),
  campaign: nullable(text('c.name')),
  agent: nullable(text('coalesce(m.name, x.agent_role)')),
}
const spent = select({ ...line, spentMicros: count('sum(x.cost_micros)'), runs: count('count(*)') })
const finished = select({
  ...line,
  type: nullable(text('x.deliverable_type')),
  finished: count('count(*)'),
})
const judged = select({
  ...line,
  decided: count('count(*)'),
  firstPass: count("count(case when f.status = 'approved' then 1 end)"),
  edited: count(
    "count(case when exists (select 1 from feedback e where e.activity_id = x.id and e.kind = 'edit') then 1 end)",
  ),
})

/** What runs that were ordered in the time have cost, tools included: the same sums as those of the cost report. */
export function spendingOfPeriod(ctx: Ctx, asked: FiguresQuery): Promise<FigureRow[]> {
  const condition = where(ofTenant(ctx, asked), madeWithin('x.id', asked))
  return spent.all(ctx.sql, `from runs x ${join} where ${condition.sql} ${group}`, condition.params)
}

/** Pieces that were finished in the time. */
export function finishedPieces(ctx: Ctx, asked: FiguresQuery): Promise<FigureRow[]> {
  const condition = where(ofTenant(ctx, asked), {
    sql: `x.is_final_step = ? and x.status = 'done' and x.completed_at >= ? and x.completed_at < ?`,
    params: [true, asked.from, asked.until],
  })
  const rest = `from activities x ${join} where ${condition.sql} ${group}, x.deliverable_type`
  return finished.all(ctx.sql, rest, condition.params)
}

/** Pieces of text whose first verdict was given in the time, how it was, and whether people have edited them. */
export function firstVerdicts(ctx: Ctx, asked: FiguresQuery): Promise<FigureRow[]> {
  const { tenantId, from, until } = asked
  const condition = where(ofTenant(ctx, asked), {
    sql: 'f.resolved_at >= ? and f.resolved_at < ?',
    params: [from, until],
  })
  return judged.allOf(
    ctx.sql,
    `with judged as (
       select l.activity_id, min(a.id) as first_id from approvals a join approval_links l on l.approval_id = a.id
       where a.tenant_id = ? and l.blocking = ? and a.content_hash is not null and a.forwarded_from is null
         and a.status in ('approved', 'rejected') group by l.activity_id
     )
     select ${judged.columns} from judged j join approvals f on f.id = j.first_id join activities x on x.id = j.activity_id ${join}
     where ${condition.sql} ${group}`,
    [tenantId, true, ...condition.params],
  )
}

function ofTenant(ctx: Ctx, { tenantId, campaignIds }: FiguresQuery): Condition {
  return where(
    within(ctx.scope, 'x.tenant_id'),
    { sql: 'x.tenant_id = ?', params: [tenantId] },
    campaignIds.length === 0
      ? undefined
      : { sql: `x.campaign_id in (${placeholders(campaignIds)})`, params: [...campaignIds] },
  )
}
