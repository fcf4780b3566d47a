import { costReport } from '../../domain/insight/costs/queries.ts'
import { CostQuery, CostReport } from '../../domain/insight/costs/schemas.ts'
import { endpoint } from '../../gateway/endpoint.ts'
import { operators } from './access.ts'

export const cost = endpoint({
  id: 'admin.cost',
  route: 'GET /cost',
  summary: 'What agents have cost, by tenant, agent, model or campaign, and day by day',
  access: operators,
  query: CostQuery,
  reply: { 200: CostReport },
}).handle((ctx, { query }) => costReport(ctx, query))
