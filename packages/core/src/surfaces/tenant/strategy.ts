import { OfTenant } from '../../domain/work/brand/schemas.ts'
import { generateStrategy } from '../../domain/work/strategy/generate.ts'
import { getStrategy } from '../../domain/work/strategy/queries.ts'
import {
  StrategyChange,
  StrategyRequest,
  StrategyStarted,
  StrategyState,
} from '../../domain/work/strategy/schemas.ts'
import {
  putStrategy,
  restoreStrategy,
  strategyHistory,
  strategyVersion,
} from '../../domain/work/strategy/strategy.ts'
import { endpoint } from '../../gateway/endpoint.ts'
import { VersionListQuery, VersionQuery } from '../../kernel/versions/schemas.ts'
import { oneVersion, restoredVersion, versionList } from '../version-endpoints.ts'
import { admins, everybody, team } from './access.ts'

export const get = endpoint({
  id: 'tenant.strategy.get',
  route: 'GET /strategy',
  summary: 'The strategy that agents follow, and the draft of a new one',
  access: everybody,
  query: OfTenant,
  reply: { 200: StrategyState },
}).handle((ctx) => getStrategy(ctx))

export const put = endpoint({
  id: 'tenant.strategy.put',
  route: 'PUT /strategy',
  summary: 'Write the strategy again',
  access: admins,
  body: StrategyChange,
  reply: { 200: StrategyState },
  audit: 'strategy.put',
}).handle((ctx, { body }) => putStrategy(ctx, body))

export const generate = endpoint({
  id: 'tenant.strategy.generate',
  route: 'POST /strategy/generate',
  summary: 'Have the strategist write a new strategy, which is in force once it is approved',
  access: team,
  body: StrategyRequest,
  reply: { 202: StrategyStarted },
  errors: ['CONFLICT', 'UNPROCESSABLE'],
  audit: 'strategy.generate',
}).handle((ctx, { body }) => generateStrategy(ctx, body))

export const versions = endpoint({
  id: 'tenant.strategy.versions',
  route: 'GET /strategy/versions',
  summary: 'Every strategy that there was, newest first',
  access: everybody,
  ...versionList,
  query: VersionListQuery.extend(OfTenant.shape),
}).handle((ctx, { query }) => strategyHistory(ctx, query))

export const version = endpoint({
  id: 'tenant.strategy.version',
  route: 'GET /strategy/versions/:version',
  summary: 'The strategy at one time, and what changed since another',
  access: everybody,
  ...oneVersion,
  query: VersionQuery.extend(OfTenant.shape),
}).handle((ctx, { params, query }) => strategyVersion(ctx, params.version, query))

export const restore = endpoint({
  id: 'tenant.strategy.restore',
  route: 'POST /strategy/versions/:version/restore',
  summary: 'Put a former strategy back',
  access: admins,
  ...restoredVersion,
  reply: { 200: StrategyState },
  errors: ['VALIDATION_ERROR'],
  audit: 'strategy.restore',
}).handle((ctx, { params }) => restoreStrategy(ctx, params.version))
