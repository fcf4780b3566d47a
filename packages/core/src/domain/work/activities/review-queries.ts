import type { Ctx } from '../../../kernel/context.ts'
import { notFound } from '../../../kernel/errors.ts'
import { afterCursor, readPage } from '../../../kernel/page-queries.ts'
import { equals, inScopeOf, type Page } from '../../../kernel/paging-queries.ts'
import { within } from '../../../kernel/scope.ts'
import { flag, select, table } from '../../../platform/database/read.ts'
import { Tenant } from '../../accounts/tenants/entities.ts'
import { getActivity } from './detail.ts'
import { Activity } from './entities.ts'
import { summaryColumns, summaryTables, toSummary } from './queries.ts'
import type {
  ReviewerActivityDetail,
  ReviewerActivityQuery,
  ReviewerActivitySummary,
} from './review-schemas.ts'
import { cancelledByPerson } from './state.ts'

const x = table(Activity, 'x')
const t = table(Tenant, 't')
const ofTenant = { tenantId: x.tenantId, tenantName: t.name }
const summary = select({ ...summaryColumns, ...ofTenant })
const from = `from ${summaryTables} join ${t} on t.id = x.tenant_id`

/** Activities of all tenants in scope, newest first unless asked otherwise. Serves `GET /dm/v1/activities`. */
export async function listActivitiesForReview(
  ctx: Ctx,
  given: Partial<ReviewerActivityQuery> = {},
): Promise<Page<ReviewerActivitySummary>> {
  const query = { limit: 25, order: 'desc' as const, ...given }
  const { cursor, ...request } = query
  const list = { select: summary, from, id: x.id, rows: within(ctx.scope, 'x.tenant_id') }
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
    equals(x.status, query['filter.status']),
    equals(x.agentRole, query['filter.agentRole']),
    equals(x.type, query['filter.type']),
    await afterCursor(ctx, list, { cursor, order: query.order }),
  )
  return readPage(ctx, { ...list, rows, request }, ({ tenantId, tenantName, ...row }) => ({
    ...toSummary(row),
    tenantId,
    tenantName,
  }))
}

const whole = select({
  ...ofTenant,
  canIntervene: flag(
    "case when x.status in ('done', 'reassigned') or coalesce(x.failure_reason, '') = ? then 0 else 1 end",
  ),
})

/**
 * One activity with all that belongs to it, and whether anything can still be done about it. Serves
 * `GET /dm/v1/activities/:activityId`.
 * @throws DomainError `NOT_FOUND`
 */
export async function getActivityForReview(ctx: Ctx, activityId: string): Promise<ReviewerActivityDetail> {
  const scope = within(ctx.scope, 'x.tenant_id')
  const row = await whole.get(
    ctx.sql,
    `from ${x} join ${t} on t.id = x.tenant_id where x.id = ? and ${scope.sql}`,
    [cancelledByPerson, activityId, ...scope.params],
  )
  if (!row) throw notFound('activity')
  return { ...(await getActivity(ctx, activityId)), ...row }
}
