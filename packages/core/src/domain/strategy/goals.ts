import { LockMode } from '@mikro-orm/core'
import { daysBetween } from '../campaigns/periods.ts'
import { command } from '../command.ts'
import type { Command, Ctx } from '../context.ts'
import { DomainError, invalid, notFound } from '../errors.ts'
import { toMicros, toUsd } from '../money.ts'
import { oneTenant } from '../scope.ts'
import { lockTenant } from '../tenants/status.ts'
import { Goal, type GoalRow } from './entities.ts'
import { getGoal } from './queries.ts'
import type { GoalChange, GoalItem, NewGoal } from './schemas.ts'

/** Their figures are read together. */
const mostGoals = 100

/** The longest period of a goal, days. */
const longest = 731

/**
 * Sets a goal. Serves `POST /tenant/v1/goals`.
 * @throws DomainError `VALIDATION_ERROR` for a period that ends before it begins or is longer than two years;
 *   `UNPROCESSABLE` when there are too many
 */
export async function createGoal(ctx: Ctx, { targetValue, ...goal }: NewGoal): Promise<GoalItem> {
  const id = ctx.newId()
  return command(ctx, async (cmd) => {
    const tenantId = oneTenant(cmd)
    await lockTenant(cmd, tenantId)
    if ((await cmd.em.count(Goal, { tenantId })) >= mostGoals)
      throw new DomainError('UNPROCESSABLE', `There are ${mostGoals} goals already; delete one that is over`)
    const now = cmd.clock.date()
    const created = cmd.em.create(Goal, {
      id,
      tenantId,
      ...goal,
      targetMicros: toMicros(targetValue),
      createdOn: now,
      updatedOn: now,
    })
    checkPeriod(created)
    record(cmd, created, { after: view(created) })
    return read(cmd, id)
  })
}

/**
 * Changes a goal; what is not named stays as it is. Serves `PATCH /tenant/v1/goals/:goalId`.
 * @throws DomainError `NOT_FOUND`; `VALIDATION_ERROR` as `createGoal`
 */
export async function changeGoal(
  ctx: Ctx,
  id: string,
  { targetValue, ...changes }: GoalChange,
): Promise<GoalItem> {
  return command(ctx, async (cmd) => {
    const goal = await lockGoal(cmd, id)
    const before = view(goal)
    const given = Object.entries(changes).filter(([, value]) => value !== undefined)
    Object.assign(goal, Object.fromEntries(given), { updatedOn: cmd.clock.date() })
    if (targetValue !== undefined) goal.targetMicros = toMicros(targetValue)
    checkPeriod(goal)
    record(cmd, goal, { before, after: view(goal) })
    return read(cmd, id)
  })
}

/** Serves `DELETE /tenant/v1/goals/:goalId`. @throws DomainError `NOT_FOUND` */
export async function deleteGoal(ctx: Ctx, id: string): Promise<void> {
  return command(ctx, async (cmd) => {
    const goal = await lockGoal(cmd, id)
    record(cmd, goal, { before: view(goal) })
    cmd.em.remove(goal)
  })
}

async function lockGoal(cmd: Command, id: string): Promise<GoalRow> {
  const goal = await cmd.em.findOne(Goal, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE })
  if (!goal) throw notFound('goal')
  return goal
}

async function read(cmd: Command, id: string): Promise<GoalItem> {
  await cmd.em.flush()
  return getGoal({ ...cmd, sql: cmd.tx }, id)
}

function checkPeriod({ periodStart, periodEnd }: GoalRow): void {
  if (periodEnd < periodStart) throw invalid('periodEnd', 'periodEnd must not be before periodStart')
  if (daysBetween(periodStart, periodEnd) > longest)
    throw invalid('periodEnd', `A period is at most ${longest} days long`)
}

function view({ title, metric, targetMicros, periodStart, periodEnd }: GoalRow) {
  return { title, metric, targetValue: toUsd(targetMicros), periodStart, periodEnd }
}

function record(cmd: Command, { id, tenantId }: GoalRow, what: { before?: unknown; after?: unknown }): void {
  cmd.audit({ tenantId, resourceType: 'goal', resourceId: id, ...what })
}
