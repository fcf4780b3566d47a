import type { Ctx } from '../../../kernel/context.ts'
import { type DateRange, spanOf } from '../../../kernel/date-range.ts'
import { type Condition, where } from '../../../kernel/paging-queries.ts'
import { within } from '../../../kernel/scope.ts'
import { count, select, text } from '../../../platform/database/read.ts'
import type { ReviewNumbers, ReviewStatistics, ReviewStatisticsQuery } from './statistics-schemas.ts'

/** How far back it goes when no start is named, milliseconds. */
const lately = 30 * 86_400_000

const groups = {
  tenant: { key: 'a.tenant_id', label: 't.name' },
  agent: { key: 'a.created_by_id', label: 'a.created_by_name' },
  reviewer: { key: 'a.resolved_by_id', label: 'a.resolved_by_name' },
  all: { key: `'all'`, label: `''` },
} as const

const rows = select({ count: count('count(*)') })

/**
 * How long people took for their verdicts of a span of time and what they said, in all and by tenant, agent or reviewer. Days
 * are those of UTC. What was sent to the client counts once, what new content voided not at all. Serves
 * `GET /dm/v1/approvals/statistics`.
 * @throws DomainError `VALIDATION_ERROR` for a span that ends before it begins
 */
export async function reviewStatistics(
  ctx: Ctx,
  query: Partial<ReviewStatisticsQuery> = {},
): Promise<ReviewStatistics> {
  const asked = spanOf(query, 'UTC')
  const until = asked.until ?? new Date(Math.max(ctx.clock.now(), asked.from?.getTime() ?? 0) + 1)
  const span = { from: asked.from ?? new Date(until.getTime() - lately), until }
  const [total] = await numbersBy(ctx, 'all', span)
  const expired = where(within(ctx.scope, 'a.tenant_id'), {
    sql: `a.status = 'expired' and a.resolution is null and a.forwarded_from is null and a.expires_at >= ? and a.expires_at < ?`,
    params: [span.from, span.until],
  })
  const counted = await rows.get(ctx.sql, `from approvals a where ${expired.sql}`, expired.params)
  const { key: _key, label: _label, ...numbers } = total ?? nothing
  return {
    ...numbers,
    expired: counted?.count ?? 0,
    groups: await numbersBy(ctx, query.groupBy ?? 'tenant', span),
  }
}

const nothing: ReviewNumbers = {
  key: 'all',
  label: '',
  resolved: 0,
  approved: 0,
  rejected: 0,
  revisionRequested: 0,
  edited: 0,
  medianWaitMs: null,
  p90WaitMs: null,
  firstPassPct: null,
  editPct: null,
}

const figures = select({
  key: text("coalesce(part, 'none')"),
  label: text("coalesce(max(label), '')"),
  resolved: count('count(*)'),
  approved: count("sum(case when resolution = 'approved' then 1 else 0 end)"),
  rejected: count("sum(case when resolution = 'rejected' then 1 else 0 end)"),
  revisionRequested: count("sum(case when resolution = 'revision_requested' then 1 else 0 end)"),
  edited: count('sum(edited)'),
  textsApproved: count("sum(case when resolution = 'approved' and content_of is not null then 1 else 0 end)"),
  firstVerdicts: count('sum(first)'),
  passed: count("sum(case when first = 1 and resolution = 'approved' and edited = 0 then 1 else 0 end)"),
  medianWaitMs: count('max(case when place = (n + 1) / 2 then wait end)'),
  p90WaitMs: count('max(case when place = (n * 9 + 9) / 10 then wait end)'),
})

async function numbersBy(
  ctx: Ctx,
  by: keyof typeof groups,
  { from, until }: Required<DateRange>,
): Promise<ReviewNumbers[]> {
  const { key, label } = groups[by]
  const wait =
    ctx.db.dialect === 'postgresql'
      ? 'cast(round(extract(epoch from (a.resolved_at - a.created_on)) * 1000) as bigint)'
      : 'a.resolved_at - a.created_on'
  const condition: Condition = where(within(ctx.scope, 'a.tenant_id'), {
    sql: 'a.resolved_at >= ? and a.resolved_at < ? and a.forwarded_from is null',
    params: [from, until],
  })
  // Ranks are those of the nearest one, so that a figure is always a wait that someone had.
  const found = await figures.allOf(
    ctx.sql,
    `with decided as (
       select ${key} as part, ${label} as label, ${wait} as wait, a.resolution, a.content_of,
         case when a.edited then 1 else 0 end as edited,
         case when a.content_of is not null and not exists (select 1 from approvals e where e.content_of = a.content_of
           and e.id < a.id and e.resolved_at is not null and e.forwarded_from is null) then 1 else 0 end as first
       from approvals a join tenants t on t.id = a.tenant_id where ${condition.sql}
     ), ranked as (
       select d.*, row_number() over (partition by part order by wait) as place, count(*) over (partition by part) as n
       from decided d
     )
     select ${figures.columns}
     from ranked group by part order by count(*) desc, part limit 1000`,
    condition.params,
  )
  return found.map(({ textsApproved, firstVerdicts, passed, ...numbers }) => ({
    ...numbers,
    firstPassPct: pct(passed, firstVerdicts),
    editPct: pct(numbers.edited, textsApproved),
  }))
}

/** 0 to 100, two decimals; null of nothing. */
function pct(part: number, whole: number): number | null {
  return whole === 0 ? null : Math.round((part / whole) * 10_000) / 100
}
