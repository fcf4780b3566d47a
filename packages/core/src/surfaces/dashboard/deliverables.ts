import { listForDeliverable } from '../../domain/activities/queries.ts'
import { ActivityPage, DeliverableActivityQuery } from '../../domain/activities/schemas.ts'
import { listDeliverables } from '../../domain/campaigns/queries.ts'
import { DeliverableList } from '../../domain/campaigns/schemas.ts'
import { endpoint } from '../../gateway/endpoint.ts'
import { team } from './access.ts'

export const listForCampaign = endpoint({
  id: 'dashboard.deliverables.list',
  route: 'GET /campaigns/:campaignId/deliverables',
  summary: 'What a campaign promises, period by period',
  access: team,
  reply: { 200: DeliverableList },
  errors: ['NOT_FOUND'],
}).handle((ctx, { params }) => listDeliverables(ctx, params.campaignId))

export const activities = endpoint({
  id: 'dashboard.deliverables.activities',
  route: 'GET /deliverables/:deliverableId/activities',
  summary: 'The activities of one deliverable',
  access: team,
  query: DeliverableActivityQuery,
  reply: { 200: ActivityPage },
  errors: ['NOT_FOUND', 'VALIDATION_ERROR'],
}).handle((ctx, { params, query }) => listForDeliverable(ctx, params.deliverableId, query))
