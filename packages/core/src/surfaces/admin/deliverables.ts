import { listAllDeliverables } from '../../domain/insight/deliverables/list-queries.ts'
import { DeliverablePage, DeliverableQuery } from '../../domain/insight/deliverables/schemas.ts'
import { endpoint } from '../../gateway/endpoint.ts'
import { operators } from './access.ts'

export const list = endpoint({
  id: 'admin.deliverables.list',
  route: 'GET /deliverables',
  summary: 'What was promised to all tenants month by month, and how much of it is done',
  access: operators,
  query: DeliverableQuery,
  reply: { 200: DeliverablePage },
}).handle((ctx, { query }) => listAllDeliverables(ctx, query))
