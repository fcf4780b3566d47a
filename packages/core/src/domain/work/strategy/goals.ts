import { LockMode } from '@mikro-orm/core'
import type { Ctx, Transaction } from '../../../kernel/context.ts'
import { DomainError, invalid, notFound } from '../../../kernel/errors.ts'
import { toMicros, toUsd } from '../../../kernel/money.ts'
import { daysBetween } from '../../../kernel/periods.ts'
import { oneTenant } from '../../../kernel/scope.ts'
import { transact } from '../../../kernel/transact.ts'
import { lockTenant } from '../../accounts/tenants/status.ts'
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
  return transact(ctx, async (txn) => {
    const tenantId = oneTenant(txn)
    await lockTenant(txn, tenantId)
    if ((await txn.em.count(Goal, { tenantId })) >= mostGoals)
      throw new DomainError('UNPROCESSABLE', `There are ${mostGoals} goals already; delete one that is over`)
    const now = txn.clock.date()
    const created = txn.em.create(Goal, {
      id,
      tenantId,
      ...goal,
      targetMicros: toMicros(targetValue),
      createdOn: now,
      updatedOn: now,
    })
    checkPeriod(created)
    record(txn, created, { after: view(created) })
    return read(txn, id)
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
  return transact(ctx, async (txn) => {
    const goal = await lockGoal(txn, id)
    const before = view(goal)
    const given = Object.entries(changes).filter(([, value]) => value !== undefined)
    Object.assign(goal, Object.fromEntries(given), { updatedOn: txn.clock.date() })
    if (targetValue !== undefined) goal.targetMicros = toMicros(targetValue)
    checkPeriod(goal)
    record(txn, goal, { before, after: view(goal) })
    return read(txn, id)
  })
}

/** Serves `DELETE /tenant/v1/goals/:goalId`. @throws DomainError `NOT_FOUND` */
export async function deleteGoal(ctx: Ctx, id: string): Promise<void> {
  return transact(ctx, async (txn) => {
    const goal = await lockGoal(txn, id)
    record(txn, goal, { before: view(goal) })
    txn.em.remove(goal)
  })
}

async function lockGoal(txn: Transaction, id: string): Promise<GoalRow> {
  const goal = await txn.em.findOne(Goal, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE })
  if (!goal) throw notFound('goal')
  return goal
}

async function read(txn: Transaction, id: string): Promise<GoalItem> {
  await txn.em.flush()
  return getGoal(txn, id)
}

function checkPeriod({ periodStart, periodEnd }: GoalRow): void {
  if (periodEnd < periodStart) throw invalid('periodEnd', 'periodEnd must not be before periodStart')
  if (daysBetween(periodStart, periodEnd) > longest)
    throw invalid('periodEnd', `A period is at most ${longest} days long`)
}

function view({ title, metric, targetMicros, periodStart, periodEnd }: GoalRow) {
  return { title, metric, targetValue: toUsd(targetMicros), periodStart, periodEnd }
}

function record(
  txn: Transaction,
  { id, tenantId }: GoalRow,
  what: { before?: unknown; after?: unknown },
): void {
  txn.audit({ tenantId, resourceType: 'goal', resourceId: id, ...what })
}
