import type { Row } from '../../platform/database/database.ts'
import { asDate, asInstant, asNumber } from '../../platform/database/row.ts'
import type { Ctx } from '../context.ts'
import { notFound } from '../errors.ts'
import { readPage } from '../page-queries.ts'
import { equals, type Page, where } from '../paging-queries.ts'
import { within } from '../scope.ts'
import type { WakeReason } from '../runs/entities.ts'
import type { ActivityStatus } from './entities.ts'
import type { ActivityQuery, ActivitySummary, DeliverableActivityQuery } from './schemas.ts'

export const summaryColumns = `x.id, x.title, x.type, x.status, x.agent_role, x.campaign_id, c.name as campaign_name, x.deliverable_id,
  x.wake_reason, x.started_at, x.completed_at, x.cost_micros, x.created_on, x.updated_on,
  u.name as assignee_name, m.name as agent_name,
  (select max(l.approval_id) from approval_links l where l.activity_id = x.id) as approval_id`
export const summaryTables = `activities x left join campaigns c on c.id = x.campaign_id left join users u on u.id = x.assignee_user_id
  left join master_agents m on m.role = x.agent_role`

/** Everything of a summary, without a condition. */
export const summarySelect = `select ${summaryColumns} from ${summaryTables}`

/** A tenant's activities. Serves `GET /dashboard/v1/activities`. */
export function listActivities(ctx: Ctx, query: ActivityQuery): Promise<Page<ActivitySummary>> {
  const rows = within(ctx.scope, 'x.tenant_id')
  const filters = [
    equals('x.status', query['filter.status']),
    equals('x.agent_role', query['filter.agentRole']),
    equals('x.campaign_id', query['filter.campaignId']),
    equals('x.deliverable_id', query['filter.deliverableId']),
    equals('x.wake_reason', query['filter.wakeReason']),
  ]
  return readPage(ctx, { select: summarySelect, id: 'x.id', rows, filters, request: query }, toSummary)
}

/** The activities of one deliverable. Serves `GET /dashboard/v1/deliverables/:deliverableId/activities`. */
export async function listForDeliverable(
  ctx: Ctx,
  deliverableId: string,
  query: DeliverableActivityQuery,
): Promise<Page<ActivitySummary>> {
  const scope = within(ctx.scope, 'tenant_id')
  const known = await ctx.sql.get(`select 1 as one from deliverables where id = ? and ${scope.sql}`, [
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
  const rows = await ctx.sql.all<Row>(`${summarySelect} where ${scoped.sql} order by x.id ${order} limit ?`, [
    ...scoped.params,
    limit,
  ])
  return rows.map(toSummary)
}

/** A row of `summaryColumns` as it is shown. */
export function toSummary(row: Row): ActivitySummary {
  const startedAt = asDate(row.started_at)
  const completedAt = asDate(row.completed_at)
  return {
    id: row.id as string,
    title: row.title as string,
    type: row.type as string,
    status: row.status as ActivityStatus,
    agentRole: row.agent_role as string | null,
    assigneeName: (row.assignee_name ?? row.agent_name ?? row.agent_role ?? '') as string,
    campaignId: row.campaign_id as string | null,
    campaignName: row.campaign_name as string | null,
    ...(row.deliverable_id ? { deliverableId: row.deliverable_id as string } : {}),
    ...(row.approval_id ? { approvalId: row.approval_id as string } : {}),
    ...(row.wake_reason ? { wakeReason: row.wake_reason as WakeReason } : {}),
    ...(startedAt ? { startedAt } : {}),
    ...(completedAt ? { completedAt } : {}),
    costUsd: asNumber(row.cost_micros) / 1_000_000,
    createdOn: asInstant(row.created_on),
    updatedOn: asInstant(row.updated_on),
  }
}
