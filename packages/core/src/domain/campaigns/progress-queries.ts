import type { Row } from '../../platform/database/database.ts'
import { asNumber } from '../../platform/database/row.ts'
import type { Ctx } from '../context.ts'
import { type Condition, equals, where } from '../paging-queries.ts'
import { within } from '../scope.ts'
import { progressOf } from './policy.ts'

/**
 * Periods of all deliverables of a campaign with their progress. A piece is completed when its final step is done; it is in
 * progress when some step of it was started and some step is still open.
 */
export function periodsOf(ctx: Ctx, campaignId: string, today: string, which: 'current' | 'all') {
  return readPeriods(
    ctx,
    where(equals('d.campaign_id', campaignId), which === 'current' ? on(today) : undefined),
    today,
  )
}

/** How many active campaigns there are, and how many of them have a promise that is not kept so far. */
export async function campaignHealth(ctx: Ctx, today: string): Promise<{ active: number; atRisk: number }> {
  const scope = within(ctx.scope, 'c.tenant_id')
  const active = `select c.id from campaigns c where ${scope.sql} and c.status = 'active'`
  const counted = await ctx.sql.get<Row>(`select count(*) as n from (${active}) as found`, scope.params)
  const periods = await readPeriods(
    ctx,
    where({ sql: `d.campaign_id in (${active})`, params: [...scope.params] }, on(today)),
    today,
  )
  const late = periods.filter(({ progress }) => progress.status !== 'on_track')
  return {
    active: asNumber(counted?.n),
    atRisk: new Set(late.map(({ campaignId }) => campaignId)).size,
  }
}

function on(day: string): Condition {
  return { sql: 'p.period_start <= ? and p.period_end >= ?', params: [day, day] }
}

async function readPeriods(ctx: Ctx, condition: Condition, today: string) {
  const chosen = where(within(ctx.scope, 'd.tenant_id'), condition)
  const rows = await ctx.sql.all<Row>(
    `with chosen as (
       select p.id, p.deliverable_id, d.campaign_id, p.period_start, p.period_end, p.target
       from deliverables d join periods p on p.deliverable_id = d.id
       where ${chosen.sql}
     ), pieces as (
       select x.period_id,
         max(case when x.is_final_step and x.status = 'done' then 1 else 0 end) as done,
         max(case when x.started_at is not null then 1 else 0 end) as started,
         max(case when x.status not in ('done', 'reassigned', 'failed') then 1 else 0 end) as open
       from activities x where x.period_id in (select id from chosen) group by x.period_id, x.piece
     )
     select c.id, c.deliverable_id, c.campaign_id, c.period_start, c.period_end, c.target,
       coalesce(sum(w.done), 0) as completed, coalesce(sum((1 - w.done) * w.started * w.open), 0) as in_progress
     from chosen c left join pieces w on w.period_id = c.id
     group by c.id, c.deliverable_id, c.campaign_id, c.period_start, c.period_end, c.target order by c.period_start, c.id`,
    chosen.params,
  )
  return rows.map((row) => {
    const progress = {
      periodStart: row.period_start as string,
      periodEnd: row.period_end as string,
      target: asNumber(row.target),
      completed: asNumber(row.completed),
      inProgress: asNumber(row.in_progress),
    }
    return {
      id: row.id as string,
      deliverableId: row.deliverable_id as string,
      campaignId: row.campaign_id as string,
      progress: { ...progress, status: progressOf(progress, today) },
    }
  })
}
