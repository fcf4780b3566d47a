import type { Ctx } from '../../../kernel/context.ts'
import { notFound } from '../../../kernel/errors.ts'
import { toUsd } from '../../../kernel/money.ts'
import { readPage } from '../../../kernel/page-queries.ts'
import { equals, type Page, where } from '../../../kernel/paging-queries.ts'
import { oneTenant, within } from '../../../kernel/scope.ts'
import { placeholders } from '../../../platform/database/database.ts'
import { pick, type RowOf, select, table } from '../../../platform/database/read.ts'
import { Activity, type ActivityStatus, closedStatuses } from '../activities/entities.ts'
import { Goal, Strategy, StrategyDraft } from './entities.ts'
import type { GoalItem, GoalQuery, StrategyState } from './schemas.ts'

const s = table(Strategy, 's')
const d = table(StrategyDraft, 'd')
const a = table(Activity, 'a')
const g = table(Goal, 'g')

const inForce = select(pick(s, 'content', 'version', 'updatedOn'))
const draft = select({ activityId: d.activityId, status: a.status })
const goal = select(
  pick(g, 'id', 'title', 'metric', 'targetMicros', 'periodStart', 'periodEnd', 'createdOn', 'updatedOn'),
)

/**
 * The strategy of the context's tenant, and the one that is being written. Serves `GET /tenant/v1/strategy`.
 * @throws DomainError `VALIDATION_ERROR` on `tenantId` when the caller could mean several tenants
 */
export async function getStrategy(ctx: Ctx): Promise<StrategyState> {
  const row = await inForce.get(ctx.sql, `from ${s} where s.tenant_id = ? and s.version > 0`, [
    oneTenant(ctx),
  ])
  const state = row ?? { content: '', version: 0, updatedOn: null }
  return { ...state, draft: (await openDraft(ctx)) ?? null }
}

/** The newest activity of the context's tenant that writes a strategy and is not closed. */
export async function openDraft(
  ctx: Ctx,
): Promise<{ activityId: string; status: ActivityStatus } | undefined> {
  return draft.get(
    ctx.sql,
    `from ${d} join ${a} on a.id = d.activity_id
     where d.tenant_id = ? and a.status not in (${placeholders(closedStatuses)}) order by d.activity_id desc limit 1`,
    [oneTenant(ctx), ...closedStatuses],
  )
}

/** The goals of the context's tenant, newest first. Serves `GET /tenant/v1/goals`. */
export async function listGoals(ctx: Ctx, given: Partial<GoalQuery> = {}): Promise<Page<GoalItem>> {
  const query = { limit: 25, order: 'desc' as const, ...given }
  return readPage(
    ctx,
    {
      select: goal,
      from: `from ${g}`,
      id: g.id,
      rows: where(equals(g.tenantId, oneTenant(ctx))),
      deletedBy: 'goal.delete',
      request: query,
    },
    toGoal,
  )
}

/** @throws DomainError `NOT_FOUND` */
export async function getGoal(ctx: Ctx, id: string): Promise<GoalItem> {
  const condition = where(within(ctx.scope, 'g.tenant_id'), equals(g.id, id))
  const row = await goal.get(ctx.sql, `from ${g} where ${condition.sql}`, condition.params)
  if (!row) throw notFound('goal')
  return toGoal(row)
}

function toGoal({ targetMicros, ...row }: RowOf<typeof goal>): GoalItem {
  return { ...row, targetValue: toUsd(targetMicros) }
}
