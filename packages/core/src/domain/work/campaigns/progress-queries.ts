import type { Ctx, Transaction } from '../../../kernel/context.ts'
import { type Condition, equals, where } from '../../../kernel/paging-queries.ts'
import { within } from '../../../kernel/scope.ts'
import { placeholders } from '../../../platform/database/database.ts'
import { count, select, selectDistinct, table, text } from '../../../platform/database/read.ts'
import { Activity } from '../activities/entities.ts'
import { progressOf } from './policy.ts'

const counted = select({ active: count('count(*)') })
const progress = {
  completed: count('sum(w.done)'),
  inProgress: count('sum((1 - w.done) * w.started * w.open)'),
}
const period = select({
  id: text('c.id'),
  deliverableId: text('c.deliverable_id'),
  campaignId: text('c.campaign_id'),
  periodStart: text('c.period_start'),
  periodEnd: text('c.period_end'),
  target: count('c.target'),
  ...progress,
})

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
  const found = await counted.get(ctx.sql, `from (${active}) as found`, scope.params)
  const periods = await readPeriods(
    ctx,
    where({ sql: `d.campaign_id in (${active})`, params: [...scope.params] }, on(today)),
    today,
  )
  const late = periods.filter(({ progress }) => progress.status !== 'on_track')
  return {
    active: found?.active ?? 0,
    atRisk: new Set(late.map(({ campaignId }) => campaignId)).size,
  }
}

function on(day: string): Condition {
  return { sql: 'p.period_start <= ? and p.period_end >= ?', params: [day, day] }
}

async function readPeriods(ctx: Ctx, condition: Condition, today: string) {
  const chosen = where(within(ctx.scope, 'd.tenant_id'), condition)
  const rows = await period.allOf(
    ctx.sql,
    `with chosen as (
       select p.id, p.deliverable_id, d.campaign_id, p.period_start, p.period_end, p.target
       from deliverables d join periods p on p.deliverable_id = d.id
       where ${chosen.sql}
     ), pieces as (${piecesOf('x.period_id in (select id from chosen)')})
     select ${period.columns} from chosen c left join pieces w on w.period_id = c.id
     group by c.id, c.deliverable_id, c.campaign_id, c.period_start, c.period_end, c.target order by c.period_start, c.id`,
    chosen.params,
  )
  return rows.map(({ id, deliverableId, campaignId, ...progress }) => ({
    id,
    deliverableId,
    campaignId,
    progress: { ...progress, status: progressOf(progress, today) },
  }))
}

/** The pieces of some periods as `w` of `progress`. */
const piecesOf = (condition: string) => `select x.period_id,
    max(case when x.is_final_step and x.status = 'done' then 1 else 0 end) as done,
    max(case when x.started_at is not null then 1 else 0 end) as started,
    max(case when x.status not in ('done', 'reassigned', 'failed') then 1 else 0 end) as open
  from activities x where ${condition} group by x.period_id, x.piece`

const pieces = select({ periodId: text('w.period_id'), ...progress })

interface Counts {
  completed: number
  inProgress: number
}

/** The pieces of some periods, as many as a statement takes; a period without any is absent. */
export async function countPieces(ctx: Ctx, periodIds: string[]): Promise<Map<string, Counts>> {
  if (periodIds.length === 0) return new Map()
  const ids = { sql: `x.period_id in (${placeholders(periodIds)})`, params: periodIds }
  const chosen = where(within(ctx.scope, 'x.tenant_id'), ids)
  const rows = await pieces.all(
    ctx.sql,
    `from (${piecesOf(chosen.sql)}) w group by w.period_id`,
    chosen.params,
  )
  return new Map(rows.map(({ periodId, ...counts }) => [periodId, counts]))
}

const x = table(Activity, 'x')
const planned = selectDistinct({ piece: x.piece })

/** Numbers of a period's pieces that are not planned yet. All steps of a piece are opened together, so a piece is either there or missing. */
export async function missingPieces(
  txn: Transaction,
  period: { id: string; tenantId: string; target: number },
): Promise<number[]> {
  const rows = await planned.all(txn.tx, `from ${x} where x.period_id = ? and x.tenant_id = ?`, [
    period.id,
    period.tenantId,
  ])
  const there = new Set(rows.map(({ piece }) => piece))
  return Array.from({ length: period.target }, (_, index) => index + 1).filter((piece) => !there.has(piece))
}
