import { z } from 'zod'
import { OfTenant } from '../../domain/work/brand/schemas.ts'
import { archiveCampaign } from '../../domain/work/campaigns/change.ts'
import { addSegment, changeSegment, removeSegment } from '../../domain/work/campaigns/workflow/audience.ts'
import {
  AudienceSegment,
  AudienceSegmentChange,
  AudienceSegmentList,
  NewAudienceSegment,
} from '../../domain/work/campaigns/workflow/audience-schemas.ts'
import { changeWorkflowCampaign } from '../../domain/work/campaigns/workflow/change.ts'
import { listContent, listSegments } from '../../domain/work/campaigns/workflow/content-queries.ts'
import {
  BriefOrder,
  CampaignContentQuery,
  ContentOrder,
  ContentPage,
  ContentStarted,
  OrderStarted,
} from '../../domain/work/campaigns/workflow/content-schemas.ts'
import { createWorkflowCampaign } from '../../domain/work/campaigns/workflow/create.ts'
import {
  generateAudience as askAnalyst,
  generateBrief as askWriter,
  createContent,
} from '../../domain/work/campaigns/workflow/orders.ts'
import { getWorkflowCampaign, listWorkflowCampaigns } from '../../domain/work/campaigns/workflow/queries.ts'
import {
  ClientVerdict,
  NewWorkflowCampaign,
  StatusChange,
  WorkflowCampaign,
  WorkflowChange,
  WorkflowPage,
  WorkflowQuery,
} from '../../domain/work/campaigns/workflow/schemas.ts'
import { changeStatus, decideForClient } from '../../domain/work/campaigns/workflow/status.ts'
import { endpoint } from '../../gateway/endpoint.ts'
import { clients, everybody, team } from './access.ts'

export const list = endpoint({
  id: 'tenant.campaigns.list',
  route: 'GET /campaigns',
  summary: 'Campaigns of every type with their status, dates and primary metric, newest first',
  access: everybody,
  query: WorkflowQuery,
  reply: { 200: WorkflowPage },
}).handle((ctx, { query }) => listWorkflowCampaigns(ctx, query))

export const create = endpoint({
  id: 'tenant.campaigns.create',
  route: 'POST /campaigns',
  summary: 'Create a campaign as a draft; no agent works on it',
  access: team,
  body: NewWorkflowCampaign,
  reply: { 201: WorkflowCampaign },
  errors: ['NOT_FOUND'],
  audit: 'campaign.create',
}).handle((ctx, { body }) => createWorkflowCampaign(ctx, body))

export const get = endpoint({
  id: 'tenant.campaigns.get',
  route: 'GET /campaigns/:campaignId',
  summary: 'A campaign with its brief, audience, latest activities and metrics',
  access: everybody,
  query: OfTenant,
  reply: { 200: WorkflowCampaign },
}).handle((ctx, { params }) => getWorkflowCampaign(ctx, params.campaignId))

export const change = endpoint({
  id: 'tenant.campaigns.change',
  route: 'PATCH /campaigns/:campaignId',
  summary: 'Change name, budget, dates, brief, autopilot or period; not the status',
  access: team,
  body: WorkflowChange,
  reply: { 200: WorkflowCampaign },
  errors: ['UNPROCESSABLE'],
  audit: 'campaign.change',
}).handle((ctx, { params, body }) => changeWorkflowCampaign(ctx, params.campaignId, body))

export const archive = endpoint({
  id: 'tenant.campaigns.archive',
  route: 'DELETE /campaigns/:campaignId',
  summary: 'Archive a campaign: no run of it starts any more, nothing is deleted',
  access: team,
  reply: { 204: z.void() },
  audit: 'campaign.archive',
}).handle((ctx, { params }) => archiveCampaign(ctx, params.campaignId))

export const status = endpoint({
  id: 'tenant.campaigns.status',
  route: 'PATCH /campaigns/:campaignId/status',
  summary: 'Set the status, within what the role may',
  access: everybody,
  query: OfTenant,
  body: StatusChange,
  reply: { 200: WorkflowCampaign },
  errors: ['UNPROCESSABLE'],
  audit: 'campaign.status',
}).handle((ctx, { params, body }) => changeStatus(ctx, params.campaignId, body))

export const approve = endpoint({
  id: 'tenant.campaigns.approve',
  route: 'POST /campaigns/:campaignId/approve',
  summary: 'Approve a campaign as its client, or send it back',
  access: clients,
  query: OfTenant,
  body: ClientVerdict,
  reply: { 200: WorkflowCampaign },
  errors: ['CONFLICT'],
  audit: 'campaign.approve',
}).handle((ctx, { params, body }) => decideForClient(ctx, params.campaignId, body))

export const generateBrief = endpoint({
  id: 'tenant.campaigns.generate_brief',
  route: 'POST /campaigns/:campaignId/generate-brief',
  summary: 'Have the brief written; the campaign waits for its review then',
  access: team,
  body: BriefOrder,
  reply: { 202: OrderStarted },
  errors: ['CONFLICT', 'UNPROCESSABLE'],
  audit: 'campaign.generate_brief',
}).handle((ctx, { params, body }) => askWriter(ctx, params.campaignId, body))

export const generateAudience = endpoint({
  id: 'tenant.campaigns.generate_audience',
  route: 'POST /campaigns/:campaignId/generate-audience',
  summary: 'Have the groups of people found that the campaign is for',
  access: team,
  reply: { 202: OrderStarted },
  errors: ['CONFLICT', 'UNPROCESSABLE'],
  audit: 'campaign.generate_audience',
}).handle((ctx, { params }) => askAnalyst(ctx, params.campaignId))

export const content = endpoint({
  id: 'tenant.campaigns.content',
  route: 'GET /campaigns/:campaignId/content',
  summary: 'The activities of a campaign with the beginning of what they have written, newest first',
  access: everybody,
  query: CampaignContentQuery,
  reply: { 200: ContentPage },
}).handle((ctx, { params, query }) => listContent(ctx, params.campaignId, query))

export const addContent = endpoint({
  id: 'tenant.campaigns.add_content',
  route: 'POST /campaigns/:campaignId/content',
  summary: 'Have a piece made for a campaign; it is reviewed as every other',
  access: team,
  body: ContentOrder,
  reply: { 201: ContentStarted },
  errors: ['UNPROCESSABLE'],
  audit: 'campaign.add_content',
}).handle((ctx, { params, body }) => createContent(ctx, params.campaignId, body))

export const audience = endpoint({
  id: 'tenant.campaigns.audience',
  route: 'GET /campaigns/:campaignId/audience',
  summary: 'The groups of people that a campaign speaks to',
  access: everybody,
  query: OfTenant,
  reply: { 200: AudienceSegmentList },
}).handle((ctx, { params }) => listSegments(ctx, params.campaignId))

export const addAudience = endpoint({
  id: 'tenant.campaigns.add_audience',
  route: 'POST /campaigns/:campaignId/audience',
  summary: 'Add a group of people',
  access: team,
  body: NewAudienceSegment,
  reply: { 201: AudienceSegment },
  errors: ['UNPROCESSABLE'],
  audit: 'campaign_audience.create',
}).handle((ctx, { params, body }) => addSegment(ctx, params.campaignId, body))

export const changeAudience = endpoint({
  id: 'tenant.campaigns.change_audience',
  route: 'PATCH /campaigns/:campaignId/audience/:segmentId',
  summary: 'Change the name, the filters or the platform’s id of a group',
  access: team,
  body: AudienceSegmentChange,
  reply: { 200: AudienceSegment },
  errors: ['UNPROCESSABLE'],
  audit: 'campaign_audience.change',
}).handle((ctx, { params, body }) => changeSegment(ctx, params, body))

export const removeAudience = endpoint({
  id: 'tenant.campaigns.remove_audience',
  route: 'DELETE /campaigns/:campaignId/audience/:segmentId',
  summary: 'Remove a group of people',
  access: team,
  reply: { 204: z.void() },
  errors: ['UNPROCESSABLE'],
  audit: 'campaign_audience.delete',
}).handle((ctx, { params }) => removeSegment(ctx, params))
