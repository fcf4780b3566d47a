import type { Row } from '../../platform/database/database.ts'
import { asInstant, asNumber, placeholders } from '../../platform/database/row.ts'
import { type ActivityStatus, closedStatuses } from '../activities/entities.ts'
import type { Ctx } from '../context.ts'
import { notFound } from '../errors.ts'
import { toUsd } from '../money.ts'
import { readPage } from '../page-queries.ts'
import { equals, type Page, where } from '../paging-queries.ts'
import { oneTenant, within } from '../scope.ts'
import type { GoalMetric } from './entities.ts'
import type { GoalItem, GoalQuery, StrategyState } from './schemas.ts'

/**
 * The strategy of the context's tenant, and the one that is being written. Serves `GET /tenant/v1/strategy`.
 * @throws DomainError `VALIDATION_ERROR` on `tenantId` when the caller could mean several tenants
 */
export async function getStrategy(ctx: Ctx): Promise<StrategyState> {
  const tenantId = oneTenant(ctx)
  const row = await ctx.sql.get<Row>(
    'select content, version, updated_on from strategies where tenant_id = ? and version > 0',
    [tenantId],
  )
  return {
    content: (row?.content as string | undefined) ?? '',
    version: (row?.version as number | undefined) ?? 0,
    updatedOn: row ? asInstant(row.updated_on) : null,
    draft: (await openDraft(ctx)) ?? null,
  }
}

/** The newest activity of the context's tenant that writes a strategy and is not closed. */
export async function openDraft(
  ctx: Ctx,
): Promise<{ activityId: string; status: ActivityStatus } | undefined> {
  const row = await ctx.sql.get<Row>(
    `select d.activity_id, a.status from strategy_drafts d join activities a on a.id = d.activity_id
     where d.tenant_id = ? and a.status not in (${placeholders(closedStatuses)}) order by d.activity_id desc limit 1`,
    [oneTenant(ctx), ...closedStatuses],
  )
  return row && { activityId: row.activity_id as string, status: row.status as ActivityStatus }
}

const goalColumns = `select g.id, g.title, g.metric, g.target_micros, g.period_start, g.period_end, g.created_on, g.updated_on
  from goals g`

/** The goals of the context's tenant, newest first. Serves `GET /tenant/v1/goals`. */
export async function listGoals(ctx: Ctx, given: Partial<GoalQuery> = {}): Promise<Page<GoalItem>> {
  const query = { limit: 25, order: 'desc' as const, ...given }
  return readPage<Row, GoalItem>(
    ctx,
    {
      select: goalColumns,
      id: 'g.id',
      rows: where(equals('g.tenant_id', oneTenant(ctx))),
      deletedBy: 'goal.delete',
      request: query,
    },
    toGoal,
  )
}

/** @throws DomainError `NOT_FOUND` */
export async function getGoal(ctx: Ctx, id: string): Promise<GoalItem> {
  const condition = where(within(ctx.scope, 'g.tenant_id'), equals('g.id', id))
  const row = await ctx.sql.get<Row>(`${goalColumns} where ${condition.sql}`, condition.params)
  if (!row) throw notFound('goal')
  return toGoal(row)
}

function toGoal(row: Row): GoalItem {
  return {
    id: row.id as string,
    title: row.title as string,
    metric: row.metric as GoalMetric,
    targetValue: toUsd(asNumber(row.target_micros)),
    periodStart: row.period_start as string,
    periodEnd: row.period_end as string,
    createdOn: asInstant(row.created_on),
    updatedOn: asInstant(row.updated_on),
  }
}
