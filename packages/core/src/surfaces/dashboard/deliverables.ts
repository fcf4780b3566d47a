import { listForDeliverable } from '../../domain/work/activities/queries.ts'
import { ActivityPage, DeliverableActivityQuery } from '../../domain/work/activities/schemas.ts'
import { listDeliverables } from '../../domain/work/campaigns/queries.ts'
import { DeliverableList } from '../../domain/work/campaigns/schemas.ts'
import { endpoint } from '../../gateway/endpoint.ts'
import { team } from './access.ts'

export const list = endpoint({
  id: 'dashboard.deliverables.list',
  route: 'GET /campaigns/:campaignId/deliverables',
  summary: 'What a campaign promises, period by period',
  access: team,
  reply: { 200: DeliverableList },
}).handle((ctx, { params }) => listDeliverables(ctx, params.campaignId))

export const activities = endpoint({
  id: 'dashboard.deliverables.activities',
  route: 'GET /deliverables/:deliverableId/activities',
  summary: 'The activities of one deliverable',
  access: team,
  query: DeliverableActivityQuery,
  reply: { 200: ActivityPage },
}).handle((ctx, { params, query }) => listForDeliverable(ctx, params.deliverableId, query))
