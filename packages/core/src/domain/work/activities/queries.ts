import type { Ctx } from '../../../kernel/context.ts'
import { notFound } from '../../../kernel/errors.ts'
import { toUsd } from '../../../kernel/money.ts'
import { readPage } from '../../../kernel/page-queries.ts'
import { equals, type Page, where } from '../../../kernel/paging-queries.ts'
import { within } from '../../../kernel/scope.ts'
import {
  exists,
  leftTable,
  nullable,
  pick,
  type RowOf,
  select,
  table,
  text,
} from '../../../platform/database/read.ts'
import { Campaign } from '../campaigns/entities.ts'
import { Activity } from './entities.ts'
import type { ActivityQuery, ActivitySummary, DeliverableActivityQuery } from './schemas.ts'

const x = table(Activity, 'x')

export const summaryColumns = {
  ...pick(x, 'id', 'title', 'type', 'status', 'agentRole'),
  assigneeName: text("coalesce(u.name, m.name, x.agent_role, '')"),
  campaignId: x.campaignId,
  campaignName: leftTable(Campaign, 'c').name,
  deliverableId: x.deliverableId,
  approvalId: nullable(text('(select max(l.approval_id) from approval_links l where l.activity_id = x.id)')),
  ...pick(x, 'wakeReason', 'startedAt', 'completedAt', 'costMicros', 'createdOn', 'updatedOn'),
}
export const summary = select(summaryColumns)
export const summaryTables = `activities x left join campaigns c on c.id = x.campaign_id left join users u on u.id = x.assignee_user_id
  left join master_agents m on m.role = x.agent_role`

/** A tenant's activities. Serves `GET /dashboard/v1/activities`. */
export function listActivities(ctx: Ctx, query: ActivityQuery): Promise<Page<ActivitySummary>> {
  const rows = within(ctx.scope, 'x.tenant_id')
  const filters = [
    equals(x.status, query['filter.status']),
    equals(x.agentRole, query['filter.agentRole']),
    equals(x.campaignId, query['filter.campaignId']),
    equals(x.deliverableId, query['filter.deliverableId']),
    equals(x.wakeReason, query['filter.wakeReason']),
  ]
  return readPage(
    ctx,
    { select: summary, from: `from ${summaryTables}`, id: x.id, rows, filters, request: query },
    toSummary,
  )
}

/** The activities of one deliverable. Serves `GET /dashboard/v1/deliverables/:deliverableId/activities`. */
export async function listForDeliverable(
  ctx: Ctx,
  deliverableId: string,
  query: DeliverableActivityQuery,
): Promise<Page<ActivitySummary>> {
  const scope = within(ctx.scope, 'tenant_id')
  const known = await exists(ctx.sql, `from deliverables where id = ? and ${scope.sql}`, [
    deliverableId,
    ...scope.params,
  ])
  if (!known) throw notFound('deliverable')
  return listActivities(ctx, { ...query, 'filter.deliverableId': deliverableId })
}

/** Every summary that a condition on `x` (activities) matches, oldest first. The caller has put the scope into it. */
export async function summariesWhere(
  ctx: Ctx,
  condition: { sql: string; params: readonly string[] },
  order: 'asc' | 'desc',
  limit: number,
): Promise<ActivitySummary[]> {
  const scoped = where(within(ctx.scope, 'x.tenant_id'), {
    sql: condition.sql,
    params: [...condition.params],
  })
  const rows = await summary.all(
    ctx.sql,
    `from ${summaryTables} where ${scoped.sql} order by x.id ${order} limit ?`,
    [...scoped.params, limit],
  )
  return rows.map(toSummary)
}

/** A row of `summaryColumns` as it is shown. */
export function toSummary(row: RowOf<typeof summary>): ActivitySummary {
  const { deliverableId, approvalId, wakeReason, startedAt, completedAt, costMicros, ...rest } = row
  return {
    ...rest,
    ...(deliverableId && { deliverableId }),
    ...(approvalId && { approvalId }),
    ...(wakeReason && { wakeReason }),
    ...(startedAt && { startedAt }),
    ...(completedAt && { completedAt }),
    costUsd: toUsd(costMicros),
  }
}
