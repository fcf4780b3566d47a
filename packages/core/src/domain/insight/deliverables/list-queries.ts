import type { Ctx } from '../../../kernel/context.ts'
import { afterCursor } from '../../../kernel/page-queries.ts'
import { afterId, type Condition, equals, where } from '../../../kernel/paging-queries.ts'
import { addDays, dayIn, lastOfMonth } from '../../../kernel/periods.ts'
import { within } from '../../../kernel/scope.ts'
import { pick, type RowOf, select, table } from '../../../platform/database/read.ts'
import { Tenant } from '../../accounts/tenants/entities.ts'
import { Deliverable, Period } from '../../work/campaigns/entities.ts'
import { progressOf } from '../../work/campaigns/policy.ts'
import { countPieces } from '../../work/campaigns/progress-queries.ts'
import type { DeliverablePage, DeliverableQuery, DeliverableRow } from './schemas.ts'

const p = table(Period, 'p')
const d = table(Deliverable, 'd')
const t = table(Tenant, 't')

const listed = select({
  ...pick(p, 'id', 'tenantId', 'periodStart', 'periodEnd', 'target', 'createdOn'),
  deliverableType: d.type,
  tenantName: t.name,
  timezone: t.timezone,
})
const from = `from ${p} join ${d} on d.id = p.deliverable_id join ${t} on t.id = p.tenant_id`

/** How many rows are looked at in one statement when not every one is on the page, and in one call. */
const batch = 500
const mostLookedAt = 5_000

/**
 * The promises of all campaigns in scope, one row for each month of each, newest first. How one stands is counted when it is
 * read, so a call that filters by it looks at a bounded number of rows: such a page may hold fewer than `limit` though more follow.
 * Serves `GET /admin/v1/deliverables`.
 */
export async function listAllDeliverables(
  ctx: Ctx,
  given: Partial<DeliverableQuery> = {},
): Promise<DeliverablePage> {
  const { limit, order, cursor, 'filter.status': status, ...filters } = withDefaults(given)
  const rows = where(within(ctx.scope, `${p.tenantId}`), equals(p.tenantId, filters['filter.tenantId']))
  const chosen = [equals(d.type, filters['filter.deliverableType']), inMonth(filters['filter.periodMonth'])]
  const size = status === undefined ? limit + 1 : batch
  let after = await afterCursor(ctx, { select: listed, from, id: p.id, rows }, { cursor, order })
  let last: string | undefined
  const found: DeliverableRow[] = []
  for (let looked = 0; found.length <= limit && looked < mostLookedAt; looked += size) {
    const condition = where(rows, ...chosen, after)
    const rest = `where ${condition.sql} order by ${p.id} ${order} limit ?`
    const some = await listed.all(ctx.sql, `${from} ${rest}`, [...condition.params, size])
    const shown = await withProgress(ctx, some)
    found.push(...shown.filter((one) => status === undefined || one.status === status))
    last = some.length < size ? undefined : some.at(-1)?.id
    if (last === undefined) break
    after = afterId(`${p.id}`, last, order)
  }
  const data = found.slice(0, limit)
  const nextCursor = found.length > limit ? (data.at(-1)?.id ?? null) : (last ?? null)
  return { data, pagination: { hasMore: nextCursor !== null, nextCursor } }
}

const withDefaults = (given: Partial<DeliverableQuery>) => ({ limit: 25, order: 'desc' as const, ...given })

/** A period begins on the first of its month, or with its campaign. */
function inMonth(month: string | undefined): Condition | undefined {
  if (month === undefined) return undefined
  const first = `${month}-01`
  const next = addDays(lastOfMonth(first), 1)
  return { sql: `${p.periodStart} >= ? and ${p.periodStart} < ?`, params: [first, next] }
}

async function withProgress(ctx: Ctx, rows: Array<RowOf<typeof listed>>): Promise<DeliverableRow[]> {
  const pieces = await countPieces(
    ctx,
    rows.map(({ id }) => id),
  )
  const now = ctx.clock.date()
  return rows.map(({ periodStart, periodEnd, timezone, target, ...row }) => {
    const counts = pieces.get(row.id) ?? { completed: 0, inProgress: 0 }
    return {
      ...row,
      targetCount: target,
      completedCount: counts.completed,
      periodMonth: periodStart.slice(0, 7),
      status: progressOf({ periodStart, periodEnd, target, ...counts }, dayIn(now, timezone)),
    }
  })
}
