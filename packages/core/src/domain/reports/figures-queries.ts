import type { Row } from '../../platform/database/database.ts'
import { asNumber, placeholders } from '../../platform/database/row.ts'
import type { Ctx } from '../context.ts'
import { type Condition, where } from '../paging-queries.ts'
import { madeWithin } from '../runs/span.ts'
import { within } from '../scope.ts'
import type { Line } from './figures.ts'

export interface Asked {
  tenantId: string
  /** The first instant, and the first after the last. */
  from: Date
  until: Date
  /** Empty for all. */
  campaignIds: readonly string[]
}

const join = `left join campaigns c on c.id = x.campaign_id left join master_agents m on m.role = x.agent_role`
const group = 'group by x.campaign_id, c.name, x.agent_role, m.name'
const columns = `x.campaign_id, c.name as campaign, coalesce(m.name, x.agent_role) as agent`

/** What runs that were ordered in the time have cost, tools included: the same sums as those of the cost report. */
export async function spending(ctx: Ctx, asked: Asked): Promise<Line[]> {
  const condition = where(ofTenant(ctx, asked), madeWithin('x.id', asked))
  const rows = await ctx.sql.all<Row>(
    `select ${columns}, sum(x.cost_micros) as spent, count(*) as runs from runs x ${join}
     where ${condition.sql} ${group}`,
    condition.params,
  )
  return rows.map((row) => ({ ...toLine(row), spentMicros: asNumber(row.spent), runs: asNumber(row.runs) }))
}

/** Pieces that were finished in the time. */
export async function finishedPieces(ctx: Ctx, asked: Asked): Promise<Line[]> {
  const condition = where(ofTenant(ctx, asked), {
    sql: `x.is_final_step = ? and x.status = 'done' and x.completed_at >= ? and x.completed_at < ?`,
    params: [true, asked.from, asked.until],
  })
  const rows = await ctx.sql.all<Row>(
    `select ${columns}, x.deliverable_type, count(*) as finished from activities x ${join}
     where ${condition.sql} ${group}, x.deliverable_type`,
    condition.params,
  )
  return rows.map((row) => ({
    ...toLine(row),
    type: row.deliverable_type as string | null,
    finished: asNumber(row.finished),
  }))
}

/** Pieces of text whose first verdict was given in the time, how it was, and whether people have edited them. */
export async function firstVerdicts(ctx: Ctx, asked: Asked): Promise<Line[]> {
  const { tenantId, from, until } = asked
  const condition = where(ofTenant(ctx, asked), {
    sql: 'f.resolved_at >= ? and f.resolved_at < ?',
    params: [from, until],
  })
  const rows = await ctx.sql.all<Row>(
    `with judged as (
       select l.activity_id, min(a.id) as first_id from approvals a join approval_links l on l.approval_id = a.id
       where a.tenant_id = ? and l.blocking = ? and a.content_hash is not null and a.forwarded_from is null
         and a.status in ('approved', 'rejected') group by l.activity_id
     )
     select ${columns}, count(*) as decided, count(case when f.status = 'approved' then 1 end) as first_pass,
       count(case when exists (select 1 from feedback e where e.activity_id = x.id and e.kind = 'edit') then 1 end) as edited
     from judged j join approvals f on f.id = j.first_id join activities x on x.id = j.activity_id ${join}
     where ${condition.sql} ${group}`,
    [tenantId, true, ...condition.params],
  )
  return rows.map((row) => ({
    ...toLine(row),
    decided: asNumber(row.decided),
    firstPass: asNumber(row.first_pass),
    edited: asNumber(row.edited),
  }))
}

function ofTenant(ctx: Ctx, { tenantId, campaignIds }: Asked): Condition {
  return where(
    within(ctx.scope, 'x.tenant_id'),
    { sql: 'x.tenant_id = ?', params: [tenantId] },
    campaignIds.length === 0
      ? undefined
      : { sql: `x.campaign_id in (${placeholders(campaignIds)})`, params: [...campaignIds] },
  )
}

function toLine(row: Row): Line {
  return {
    campaignId: row.campaign_id as string | null,
    campaign: row.campaign as string | null,
    agent: row.agent as string | null,
  }
}
