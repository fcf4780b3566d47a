import { z } from 'zod'
import { OfTenant } from '../../domain/work/brand/schemas.ts'
import { changeGoal, createGoal, deleteGoal } from '../../domain/work/strategy/goals.ts'
import { getGoal, listGoals } from '../../domain/work/strategy/queries.ts'
import { GoalChange, GoalItem, GoalPage, GoalQuery, NewGoal } from '../../domain/work/strategy/schemas.ts'
import { endpoint } from '../../gateway/endpoint.ts'
import { everybody, team } from './access.ts'

export const list = endpoint({
  id: 'tenant.goals.list',
  route: 'GET /goals',
  summary: 'The goals of the tenant, newest first',
  access: everybody,
  query: GoalQuery,
  reply: { 200: GoalPage },
}).handle((ctx, { query }) => listGoals(ctx, query))

export const create = endpoint({
  id: 'tenant.goals.create',
  route: 'POST /goals',
  summary: 'Set a goal: a figure to reach in a span of days',
  access: team,
  body: NewGoal,
  reply: { 201: GoalItem },
  errors: ['UNPROCESSABLE'],
  audit: 'goal.create',
}).handle((ctx, { body }) => createGoal(ctx, body))

export const get = endpoint({
  id: 'tenant.goals.get',
  route: 'GET /goals/:goalId',
  summary: 'One goal',
  access: everybody,
  query: OfTenant,
  reply: { 200: GoalItem },
}).handle((ctx, { params }) => getGoal(ctx, params.goalId))

export const change = endpoint({
  id: 'tenant.goals.change',
  route: 'PATCH /goals/:goalId',
  summary: 'Change a goal; what is not named stays as it is',
  access: team,
  body: GoalChange,
  reply: { 200: GoalItem },
  audit: 'goal.change',
}).handle((ctx, { params, body }) => changeGoal(ctx, params.goalId, body))

export const remove = endpoint({
  id: 'tenant.goals.delete',
  route: 'DELETE /goals/:goalId',
  summary: 'Delete a goal',
  access: team,
  reply: { 204: z.void() },
  audit: 'goal.delete',
}).handle((ctx, { params }) => deleteGoal(ctx, params.goalId))
