import { spendForApp } from '../../domain/insight/costs/month.ts'
import { MobileSpend } from '../../domain/insight/costs/schemas.ts'
import { endpoint } from '../../gateway/endpoint.ts'
import { team } from './access.ts'

export const spend = endpoint({
  id: 'mobile.analytics.spend',
  route: 'GET /analytics/spend',
  summary: 'What this month has cost so far, the dearest agents, and the last seven days',
  access: team,
  reply: { 200: MobileSpend },
}).handle((ctx) => spendForApp(ctx))
