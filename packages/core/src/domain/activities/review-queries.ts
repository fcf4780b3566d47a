import type { Row, SqlValue } from '../../platform/database/database.ts'
import { asNumber } from '../../platform/database/row.ts'
import type { Ctx } from '../context.ts'
import { notFound } from '../errors.ts'
import { afterCursor, type Condition, equals, type Page, readPage, where } from '../paging-queries.ts'
import { within } from '../scope.ts'
import { getActivity } from './detail.ts'
import { summaryColumns, summaryTables, toSummary } from './queries.ts'
import type { ReviewerActivityDetail, ReviewerActivityQuery, ReviewerActivitySummary } from './schemas.ts'
import { cancelledByPerson } from './state.ts'

/** Beyond this many tenants the newest of all are looked through instead. */
const mostTenants = 100

/** Activities of all tenants in scope, newest first unless asked otherwise. Serves `GET /dm/v1/activities`. */
export function listForReview(
  ctx: Ctx,
  given: Partial<ReviewerActivityQuery> = {},
): Promise<Page<ReviewerActivitySummary>> {
  const query = { limit: 25, order: 'desc' as const, ...given }
  const wanted = (row: 'a' | 'x') =>
    where(
      equals(`${row}.status`, query['filter.status']),
      equals(`${row}.agent_role`, query['filter.agentRole']),
      equals(`${row}.type`, query['filter.type']),
      afterCursor(`${row}.id`, query),
    )
  return readPage(
    ctx.sql,
    {
      select: `select ${summaryColumns}, x.tenant_id, t.name as tenant_name from ${summaryTables} join tenants t on t.id = x.tenant_id`,
      condition: where(within(ctx.scope, 'x.tenant_id'), firstOfEach(ctx, wanted, query)),
      orderBy: `x.id ${query.order}`,
      request: query,
    },
    (row: Row) => ({
      ...toSummary(row),
      tenantId: row.tenant_id as string,
      tenantName: row.tenant_name as string,
    }),
  )
}

/**
 * The first of each tenant by the index of that tenant, of which the page then takes the first: to sort all that several
 * tenants have would take longer the more they have.
 */
function firstOfEach(
  { scope }: Ctx,
  wanted: (row: 'a' | 'x') => Condition,
  { limit, order }: { limit: number; order: 'asc' | 'desc' },
): Condition {
  if (scope === 'all' || scope.length === 0 || scope.length > mostTenants) return wanted('x')
  const { sql, params } = wanted('a')
  const one = `select id from (select a.id from activities a where a.tenant_id = ? and ${sql} order by a.id ${order} limit ?) as f`
  return {
    sql: `x.id in (${scope.map(() => one).join(' union all ')})`,
    params: scope.flatMap((tenantId): SqlValue[] => [tenantId, ...params, limit + 1]),
  }
}

/**
 * One activity with all that belongs to it, and whether anything can still be done about it. Serves
 * `GET /dm/v1/activities/:activityId`.
 * @throws DomainError `NOT_FOUND`
 */
export async function getForReview(ctx: Ctx, activityId: string): Promise<ReviewerActivityDetail> {
  const scope = within(ctx.scope, 'x.tenant_id')
  const row = await ctx.sql.get<Row>(
    `select x.tenant_id, t.name as tenant_name,
       case when x.status in ('done', 'reassigned') or coalesce(x.failure_reason, '') = ? then 0 else 1 end as open
     from activities x join tenants t on t.id = x.tenant_id where x.id = ? and ${scope.sql}`,
    [cancelledByPerson, activityId, ...scope.params],
  )
  if (!row) throw notFound('Activity')
  return {
    ...(await getActivity(ctx, activityId)),
    tenantId: row.tenant_id as string,
    tenantName: row.tenant_name as string,
    canIntervene: asNumber(row.open) === 1,
  }
}
