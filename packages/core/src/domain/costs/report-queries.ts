import type { Row } from '../../platform/database/database.ts'
import { asNumber } from '../../platform/database/row.ts'
import { dayIn, daysBetween, daysFrom, monthStart, startOfDay } from '../campaigns/periods.ts'
import type { Ctx } from '../context.ts'
import { invalid } from '../errors.ts'
import { toUsd } from '../money.ts'
import { type Condition, equals, where } from '../paging-queries.ts'
import { madeWithin, spanOf } from '../runs/span.ts'
import { within } from '../scope.ts'
import type { CostQuery, CostReport } from './schemas.ts'
import { sharesOf } from './shares.ts'

/** The longest span that a report covers, days. */
const longest = 366

/** What each grouping goes by, and what it is called. */
const groups = {
  tenant: { key: 'r.tenant_id', label: 'max(t.name)', join: '', none: '' },
  agent: {
    key: 'r.agent_role',
    label: 'max(m.name)',
    join: 'left join master_agents m on m.role = r.agent_role',
    none: '',
  },
  model: { key: 'r.model', label: 'max(r.model)', join: '', none: 'No model' },
  campaign: {
    key: 'r.campaign_id',
    label: 'max(c.name)',
    join: 'left join campaigns c on c.id = r.campaign_id',
    none: 'No campaign',
  },
  deliverable_type: {
    key: 'a.deliverable_type',
    label: 'max(a.deliverable_type)',
    join: 'left join activities a on a.id = r.activity_id',
    none: 'No deliverable',
  },
} as const

type ReportQuery = Omit<CostQuery, 'groupBy'> & { groupBy: keyof typeof groups }

/**
 * What runs have cost, tools included, by the day on which they were ordered. Serves `GET /admin/v1/cost`.
 * @throws DomainError `VALIDATION_ERROR` for a span that ends before it begins, or is longer than a year
 */
export async function costReport(ctx: Ctx, given: Partial<ReportQuery> = {}): Promise<CostReport> {
  const { groupBy = 'tenant', tenantId } = given
  const now = ctx.clock.date()
  const zone = await zoneOf(ctx, tenantId)
  const asked = spanOf(given, zone)
  const until = asked.until ?? new Date(Math.max(now.getTime(), asked.from?.getTime() ?? 0) + 1)
  const from = asked.from ?? monthStart(new Date(Math.min(now.getTime(), until.getTime() - 1)), zone)
  const days = {
    first: dayIn(from, zone),
    last: dayIn(new Date(Math.max(from.getTime(), until.getTime() - 1)), zone),
  }
  if (daysBetween(days.first, days.last) > longest)
    throw invalid('startDate', `A report covers at most ${longest} days`)
  const condition = where(
    within(ctx.scope, 'r.tenant_id'),
    equals('r.tenant_id', tenantId),
    madeWithin('r.id', { from, until }),
  )
  const { total, breakdown } = await partsOf(ctx, groupBy, condition)
  return { totalUsd: toUsd(total), breakdown, dailySeries: await daily(ctx, condition, days, zone) }
}

/** The zone that a tenant's days are counted in; UTC without a tenant. */
export async function zoneOf(ctx: Ctx, tenantId: string | undefined): Promise<string> {
  if (tenantId === undefined) return 'UTC'
  const scope = within(ctx.scope, 'id')
  const row = await ctx.sql.get<Row>(`select timezone from tenants where id = ? and ${scope.sql}`, [
    tenantId,
    ...scope.params,
  ])
  return (row?.timezone as string | undefined) ?? 'UTC'
}

async function partsOf(ctx: Ctx, groupBy: keyof typeof groups, condition: Condition) {
  const { key, label, join, none } = groups[groupBy]
  const rows = await ctx.sql.all<Row>(
    `select ${key} as part, ${label} as label, sum(r.cost_micros) as micros, count(*) as runs,
       sum(r.input_tokens) as input, sum(r.output_tokens) as output
     from runs r join tenants t on t.id = r.tenant_id ${join}
     where ${condition.sql} group by ${key} order by sum(r.cost_micros) desc, ${key}`,
    condition.params,
  )
  const micros = rows.map((row) => asNumber(row.micros))
  const shares = sharesOf(micros)
  const breakdown = rows.map((row, at): CostReport['breakdown'][number] => ({
    key: (row.part ?? 'none') as string,
    label: (row.label ?? row.part ?? none) as string,
    costUsd: toUsd(micros[at] ?? 0),
    pct: shares[at] ?? 0,
    runs: asNumber(row.runs),
    inputTokens: asNumber(row.input),
    outputTokens: asNumber(row.output),
  }))
  return { total: micros.reduce((sum, part) => sum + part, 0), breakdown }
}

/** Zones differ by quarters of an hour, so sums of these are put together to days. */
export const slotMs = 15 * 60_000

/** Which quarter of an hour since the epoch an instant lies in. */
export function slotOf({ db }: Ctx, column: string): string {
  const epochMs =
    db.dialect === 'postgresql' ? `cast(floor(extract(epoch from ${column}) * 1000) as bigint)` : column
  return `${epochMs} / ${slotMs}`
}

async function daily(
  ctx: Ctx,
  condition: Condition,
  { first, last }: { first: string; last: string },
  zone: string,
): Promise<CostReport['dailySeries']> {
  const rows = await ctx.sql.all<Row>(
    `select ${slotOf(ctx, 'r.created_on')} as slot, sum(r.cost_micros) as micros from runs r
     where ${condition.sql} and r.cost_micros > 0 group by 1 order by 1`,
    condition.params,
  )
  const days = daysFrom(first, daysBetween(first, last)).map((date) => ({
    date,
    begins: startOfDay(date, zone).getTime(),
    micros: 0,
  }))
  let at = 0
  for (const row of rows) {
    const instant = Math.floor(asNumber(row.slot)) * slotMs
    while (instant >= (days[at + 1]?.begins ?? Number.POSITIVE_INFINITY)) at += 1
    const day = days[at]
    if (day) day.micros += asNumber(row.micros)
  }
  return days.map(({ date, micros }) => ({ date, costUsd: toUsd(micros) }))
}
