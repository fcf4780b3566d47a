import type { Row } from '../../platform/database/database.ts'
import { asNumber } from '../../platform/database/row.ts'
import type { Ctx } from '../context.ts'
import { notFound } from '../errors.ts'
import { afterCursor, readPage } from '../page-queries.ts'
import { equals, inScopeOf, type Page } from '../paging-queries.ts'
import { within } from '../scope.ts'
import { getActivity } from './detail.ts'
import { summaryColumns, summaryTables, toSummary } from './queries.ts'
import type { ReviewerActivityDetail, ReviewerActivityQuery, ReviewerActivitySummary } from './schemas.ts'
import { cancelledByPerson } from './state.ts'

/** Activities of all tenants in scope, newest first unless asked otherwise. Serves `GET /dm/v1/activities`. */
export async function listForReview(
  ctx: Ctx,
  given: Partial<ReviewerActivityQuery> = {},
): Promise<Page<ReviewerActivitySummary>> {
  const query = { limit: 25, order: 'desc' as const, ...given }
  const { cursor, ...request } = query
  const select = `select ${summaryColumns}, x.tenant_id, t.name as tenant_name from ${summaryTables} join tenants t on t.id = x.tenant_id`
  const list = { select, id: 'x.id', rows: within(ctx.scope, 'x.tenant_id') }
  const rows = inScopeOf(
    ctx,
    {
      from: 'activities x',
      id: 'x.id',
      tenant: 'x.tenant_id',
      order: ['x.id'],
      direction: query.order,
      limit: query.limit + 1,
    },
    equals('x.status', query['filter.status']),
    equals('x.agent_role', query['filter.agentRole']),
    equals('x.type', query['filter.type']),
    await afterCursor(ctx, list, { cursor, order: query.order }),
  )
  return readPage(ctx, { ...list, rows, request }, (row: Row) => ({
    ...toSummary(row),
    tenantId: row.tenant_id as string,
    tenantName: row.tenant_name as string,
  }))
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
  if (!row) throw notFound('activity')
  return {
    ...(await getActivity(ctx, activityId)),
    tenantId: row.tenant_id as string,
    tenantName: row.tenant_name as string,
    canIntervene: asNumber(row.open) === 1,
  }
}
