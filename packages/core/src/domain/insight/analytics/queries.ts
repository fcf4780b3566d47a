import type { Ctx } from '../../../kernel/context.ts'
import { madeWithin } from '../../../kernel/date-range.ts'
import type { Condition } from '../../../kernel/paging-queries.ts'
import { count, select } from '../../../platform/database/read.ts'
import type { GoalMetric } from '../../work/strategy/entities.ts'
import { basisOf } from '../costs/queries.ts'

/** Micro-dollars that a tenant's agents may spend in a month; null without a cap. */
export async function spendCapOf(ctx: Ctx, tenantId: string): Promise<number | null> {
  return (await basisOf(ctx, tenantId))?.capMicros ?? null
}

/** A figure that is wanted: of which metric, from when on, and up to when, which is no part of it. */
export interface Window {
  metric: GoalMetric
  from: Date
  until: Date
  /** The same in days, for what platforms and sources count by days of their own. */
  firstDay: string
  endDay: string
}

/** How long before a time a post may have gone out that was read in it, days. */
const readDays = 91

/** How much more a platform has counted of posts that are out: the totals at the end without those before. */
const gained =
  (expression: string, ...names: string[]) =>
  (tenantId: string, { from, until, firstDay, endDay }: Window): Condition => {
    const total = `coalesce((select ${expression} from publication_metrics m where m.publication_id = p.id and m.day < ?
      and (${names.map((name) => `m.${name} is not null`).join(' or ')}) order by m.day desc limit 1), 0)`
    return {
      sql: `select coalesce(sum(${total} - ${total}), 0) * 1000000 from publications p
        where p.tenant_id = ? and p.status = 'published' and p.published_at >= ? and p.published_at < ?`,
      params: [endDay, firstDay, tenantId, new Date(from.getTime() - readDays * 86_400_000), until],
    }
  }

/** What the sources of the website have counted of it on days of their own. */
const onWebsite =
  (name: string) =>
  (tenantId: string, { firstDay, endDay }: Window): Condition => ({
    sql: `select coalesce(sum(w.${name}), 0) * 1000000 from website_days w
      where w.tenant_id = ? and w.publication_id = '' and w.day >= ? and w.day < ?`,
    params: [tenantId, firstDay, endDay],
  })

const decided = `b.content_hash is not null and b.status in ('approved', 'rejected')
  and b.resolution in ('approved', 'rejected', 'revision_requested')`

/** Statements for one figure each, in millionths, with the values of their place holders. */
const figures: Record<GoalMetric, (tenantId: string, window: Window) => Condition> = {
  pieces_finished: (tenantId, { from, until }) => ({
    sql: `select count(*) * 1000000 from activities where tenant_id = ? and is_final_step = true and completed_at >= ?
      and completed_at < ? and status = 'done'`,
    params: [tenantId, from, until],
  }),
  // Of the pieces that people decided on for the first time, those that they approved then.
  first_pass_rate: (tenantId, { from, until }) => ({
    sql: `select count(case when b.status = 'approved' then 1 end) * 100000000 / case when count(*) = 0 then 1 else count(*) end
      from approvals b join approval_links l on l.approval_id = b.id and l.blocking = ?
      where b.tenant_id = ? and b.resolved_at >= ? and b.resolved_at < ? and ${decided}
        and not exists (select 1 from approval_links e join approvals a on a.id = e.approval_id
          where e.activity_id = l.activity_id and e.blocking = ? and a.id < b.id and ${decided.replaceAll('b.', 'a.')})`,
    params: [true, tenantId, from, until, true],
  }),
  spend_usd: (tenantId, window) => {
    const made = madeWithin('r.id', window)
    return {
      sql: `select coalesce(sum(r.cost_micros), 0) from runs r where r.tenant_id = ? and ${made?.sql}`,
      params: [tenantId, ...(made?.params ?? [])],
    }
  },
  impressions: gained('m.impressions', 'impressions'),
  responses: gained(
    'coalesce(m.reactions, 0) + coalesce(m.comments, 0) + coalesce(m.shares, 0)',
    'reactions',
    'comments',
    'shares',
  ),
  clicks: gained('m.clicks', 'clicks'),
  opens: gained('m.opens', 'opens'),
  views: onWebsite('views'),
  key_events: onWebsite('key_events'),
  search_clicks: onWebsite('search_clicks'),
}

const figure = select({ place: count('f.place'), micros: count('f.micros') })

/** Figures of a tenant in one statement, in millionths of what each counts in, in the order of the windows. */
export async function readFigures(ctx: Ctx, tenantId: string, windows: readonly Window[]): Promise<number[]> {
  if (windows.length === 0) return []
  const parts = windows.map((window, at) => {
    const { sql, params } = figures[window.metric](tenantId, window)
    return { sql: `select ${at} as place, (${sql}) as micros`, params }
  })
  const rows = await figure.all(
    ctx.sql,
    `from (${parts.map(({ sql }) => sql).join(' union all ')}) f`,
    parts.flatMap(({ params }) => params),
  )
  const found = new Map(rows.map(({ place, micros }) => [place, Math.max(0, Math.floor(micros))]))
  return windows.map((_, at) => found.get(at) ?? 0)
}
