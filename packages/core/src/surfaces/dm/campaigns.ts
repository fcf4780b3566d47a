import { OutreachSent } from '../../domain/delivery/outreach/schemas.ts'
import { sendOutreach } from '../../domain/delivery/outreach/send.ts'
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

export const send = endpoint({
  id: 'dm.campaigns.send',
  route: 'POST /campaigns/:campaignId/send',
  summary: 'Send the approved outreach e-mails of a campaign',
  description:
    'At most 100 at once, so ask again for more. Each mail goes out once, however often this is asked; answers go to the address of the caller. A mail is a section of an approved text with a line `To:` and a line `Subject:`.',
  access: reviewers,
  reply: { 202: OutreachSent },
  errors: ['UNPROCESSABLE'],
  audit: 'campaign.send_outreach',
}).handle((ctx, { params }) => sendOutreach(ctx, params.campaignId))
