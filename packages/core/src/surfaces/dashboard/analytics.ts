import { performance as performanceOf } from '../../domain/insight/analytics/performance.ts'
import { Performance, PerformanceQuery, Spend, SpendQuery } from '../../domain/insight/analytics/schemas.ts'
import { spend as spendOf } from '../../domain/insight/analytics/spend.ts'
import { endpoint } from '../../gateway/endpoint.ts'
import { team } from './access.ts'

export const performance = endpoint({
  id: 'dashboard.analytics.performance',
  route: 'GET /analytics/performance',
  summary: 'How far each goal is, and whether it goes better than in the period before',
  access: team,
  query: PerformanceQuery,
  reply: { 200: Performance },
}).handle((ctx, { query }) => performanceOf(ctx, query))

export const spend = endpoint({
  id: 'dashboard.analytics.spend',
  route: 'GET /analytics/spend',
  summary: 'What agents have cost, by what it went to and day by day',
  access: team,
  query: SpendQuery,
  reply: { 200: Spend },
}).handle((ctx, { query }) => spendOf(ctx, query))
