import { getWorkflowCampaign, listWorkflowCampaigns } from '../../domain/work/campaigns/workflow/queries.ts'
import {
  ReviewerWorkflowCampaign,
  ReviewerWorkflowPage,
  WorkflowQuery,
} from '../../domain/work/campaigns/workflow/schemas.ts'
import { endpoint } from '../../gateway/endpoint.ts'
import { reviewers } from './access.ts'

export const list = endpoint({
  id: 'dm.campaigns.list',
  route: 'GET /campaigns',
  summary: 'Campaigns of all assigned tenants, newest first',
  access: reviewers,
  query: WorkflowQuery,
  reply: { 200: ReviewerWorkflowPage },
}).handle((ctx, { query }) => listWorkflowCampaigns(ctx, query))

export const get = endpoint({
  id: 'dm.campaigns.get',
  route: 'GET /campaigns/:campaignId',
  summary: 'A campaign with its brief, audience, latest activities and metrics',
  access: reviewers,
  reply: { 200: ReviewerWorkflowCampaign },
}).handle((ctx, { params }) => getWorkflowCampaign(ctx, params.campaignId))
