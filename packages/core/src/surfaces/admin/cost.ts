import { costReport } from '../../domain/costs/report-queries.ts'
import { CostQuery, CostReport } from '../../domain/costs/schemas.ts'
import { endpoint } from '../../gateway/endpoint.ts'
import { operators } from './access.ts'

export const report = endpoint({
  id: 'admin.cost',
  route: 'GET /cost',
  summary: 'What agents have cost, by tenant, agent, model or campaign, and day by day',
  access: operators,
  query: CostQuery,
  reply: { 200: CostReport },
  errors: ['VALIDATION_ERROR'],
}).handle((ctx, { query }) => costReport(ctx, query))
