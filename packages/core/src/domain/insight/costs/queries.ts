import type { Ctx } from '../../../kernel/context.ts'
import { madeWithin, spanOf } from '../../../kernel/date-range.ts'
import { invalid, notFound } from '../../../kernel/errors.ts'
import { toUsd } from '../../../kernel/money.ts'
import { type Condition, equals, where } from '../../../kernel/paging-queries.ts'
import { dayIn, daysBetween, daysFrom, monthStart, startOfDay } from '../../../kernel/periods.ts'
import { oneTenant, within } from '../../../kernel/scope.ts'
import type { Dialect } from '../../../platform/database/database.ts'
import {
  type Column,
  count,
  nullable,
  type RowOf,
  select,
  table,
  text,
} from '../../../platform/database/read.ts'
import { Tenant } from '../../accounts/tenants/entities.ts'
import type { CostQuery, CostReport } from './schemas.ts'

/** Zones differ by quarters of an hour, so sums of these are put together to days. */
export const slotMs = 15 * 60_000

/** What is selected with the quarter of an hour since the epoch that an instant lies in, for each database. */
export function bySlot<S>(instant: string, selection: (slot: Column<number>) => S): Record<Dialect, S> {
  const of = (epochMs: string) => selection(count(`${epochMs} / ${slotMs}`))
  return {
    sqlite: of(instant),
    postgresql: of(`cast(floor(extract(epoch from ${instant}) * 1000) as bigint)`),
  }
}

const t = table(Tenant, 't')
const basis = select({ capMicros: t.spendCapMicros, timezone: t.timezone })
type Basis = RowOf<typeof basis>

/**
 * The cap of a tenant's month in micro-dollars, null for none, and the zone that its days are counted in.
 * @returns undefined for a tenant that is not in scope
 */
export function basisOf(ctx: Ctx, tenantId: string): Promise<Basis | undefined> {
  const scope = within(ctx.scope, 't.id')
  return basis.get(ctx.sql, `from ${t} where t.id = ? and ${scope.sql}`, [tenantId, ...scope.params])
}

/** The same of the context's tenant. @throws DomainError `NOT_FOUND` */
export async function monthlyCap(ctx: Ctx): Promise<Basis> {
  const found = await basisOf(ctx, oneTenant(ctx))
  if (!found) throw notFound('tenant')
  return found
}

/** The longest span that a report covers, days. */
const longest = 366

/** @param none what is called that has no label and no key */
function grouping(by: string, label: string, { join = '', none = '' } = {}) {
  const part = select({
    key: nullable(text(by)),
    label: nullable(text(label)),
    micros: count('sum(r.cost_micros)'),
    runs: count('count(*)'),
    inputTokens: count('sum(r.input_tokens)'),
    outputTokens: count('sum(r.output_tokens)'),
  })
  return { part, by, join, none }
}

/** What runs can be put together by. */
const groups = {
  tenant: grouping('r.tenant_id', 'max(t.name)'),
  agent: grouping('r.agent_role', 'max(m.name)', {
    join: 'left join master_agents m on m.role = r.agent_role',
  }),
  model: grouping('r.model', 'max(r.model)', { none: 'No model' }),
  campaign: grouping('r.campaign_id', 'max(c.name)', {
    join: 'left join campaigns c on c.id = r.campaign_id',
    none: 'No campaign',
  }),
  deliverable_type: grouping('a.deliverable_type', 'max(a.deliverable_type)', {
    join: 'left join activities a on a.id = r.activity_id',
    none: 'No deliverable',
  }),
}

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
  return (await basisOf(ctx, tenantId))?.timezone ?? 'UTC'
}

async function partsOf(ctx: Ctx, groupBy: keyof typeof groups, condition: Condition) {
  const { part, by, join, none } = groups[groupBy]
  const rows = await part.all(
    ctx.sql,
    `from runs r join tenants t on t.id = r.tenant_id ${join}
     where ${condition.sql} group by ${by} order by sum(r.cost_micros) desc, ${by}`,
    condition.params,
  )
  const shares = sharesOf(rows.map(({ micros }) => micros))
  const breakdown = rows.map(({ key, label, micros, ...used }, at): CostReport['breakdown'][number] => ({
    key: key ?? 'none',
    label: label ?? key ?? none,
    costUsd: toUsd(micros),
    pct: shares[at] ?? 0,
    ...used,
  }))
  return { total: rows.reduce((sum, { micros }) => sum + micros, 0), breakdown }
}

const dailyCosts = bySlot('r.created_on', (slot) => select({ slot, micros: count('sum(r.cost_micros)') }))

async function daily(
  ctx: Ctx,
  condition: Condition,
  { first, last }: { first: string; last: string },
  zone: string,
): Promise<CostReport['dailySeries']> {
  const rows = await dailyCosts[ctx.db.dialect].all(
    ctx.sql,
    `from runs r where ${condition.sql} and r.cost_micros > 0 group by 1 order by 1`,
    condition.params,
  )
  const days = daysFrom(first, daysBetween(first, last)).map((date) => ({
    date,
    begins: startOfDay(date, zone).getTime(),
    micros: 0,
  }))
  let at = 0
  for (const { slot, micros } of rows) {
    const instant = Math.floor(slot) * slotMs
    while (instant >= (days[at + 1]?.begins ?? Number.POSITIVE_INFINITY)) at += 1
    const day = days[at]
    if (day) day.micros += micros
  }
  return days.map(({ date, micros }) => ({ date, costUsd: toUsd(micros) }))
}

/**
 * Percentages of a total, to two decimals, that add up to exactly 100: what rounding down leaves over goes to the parts that
 * it took most from.
 * @param parts whole numbers, 0 or more
 * @returns all 0 when the total is 0
 */
export function sharesOf(parts: readonly number[]): number[] {
  const total = parts.reduce((sum, part) => sum + BigInt(part), 0n)
  if (total === 0n) return parts.map(() => 0)
  const hundredths = parts.map((part, at) => {
    const scaled = BigInt(part) * 10_000n
    return { at, whole: Number(scaled / total), rest: scaled % total }
  })
  const left = 10_000 - hundredths.reduce((sum, { whole }) => sum + whole, 0)
  const neediest = hundredths.toSorted((a, b) => (a.rest === b.rest ? a.at - b.at : a.rest > b.rest ? -1 : 1))
  for (const share of neediest.slice(0, left)) share.whole += 1
  return hundredths.map(({ whole }) => whole / 100)
}
