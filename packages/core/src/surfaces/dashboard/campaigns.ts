import { z } from 'zod'
import { archiveCampaign, changeCampaign } from '../../domain/work/campaigns/change.ts'
import { createCampaign } from '../../domain/work/campaigns/create.ts'
import { getCampaign, listCampaigns } from '../../domain/work/campaigns/queries.ts'
import {
  CampaignChange,
  CampaignDetail,
  CampaignItem,
  CampaignPage,
  CampaignQuery,
  CampaignReceipt,
  NewCampaign,
} from '../../domain/work/campaigns/schemas.ts'
import { endpoint } from '../../gateway/endpoint.ts'
import { admins, team } from './access.ts'

export const list = endpoint({
  id: 'dashboard.campaigns.list',
  route: 'GET /campaigns',
  summary: 'Campaigns with their progress, spend and open approvals',
  access: team,
  query: CampaignQuery,
  reply: { 200: CampaignPage },
}).handle((ctx, { query }) => listCampaigns(ctx, query))

export const create = endpoint({
  id: 'dashboard.campaigns.create',
  route: 'POST /campaigns',
  summary: 'Submit a campaign brief; its activities are planned at once',
  access: admins,
  body: NewCampaign,
  reply: { 201: CampaignReceipt },
  errors: ['NOT_FOUND'],
  audit: 'campaign.create',
}).handle((ctx, { body }) => createCampaign(ctx, body))

export const get = endpoint({
  id: 'dashboard.campaigns.get',
  route: 'GET /campaigns/:campaignId',
  summary: 'A campaign with its deliverables, latest activities and cost by agent',
  access: team,
  reply: { 200: CampaignDetail },
}).handle((ctx, { params }) => getCampaign(ctx, params.campaignId))

export const change = endpoint({
  id: 'dashboard.campaigns.change',
  route: 'PATCH /campaigns/:campaignId',
  summary: 'Change name, brief or budget, pause or resume a campaign',
  access: admins,
  body: CampaignChange,
  reply: { 200: CampaignItem },
  errors: ['UNPROCESSABLE'],
  audit: 'campaign.change',
}).handle((ctx, { params, body }) => changeCampaign(ctx, params.campaignId, body))

export const archive = endpoint({
  id: 'dashboard.campaigns.archive',
  route: 'DELETE /campaigns/:campaignId',
  summary: 'Archive a campaign: no run of it starts any more',
  access: admins,
  reply: { 204: z.void() },
  audit: 'campaign.archive',
}).handle((ctx, { params }) => archiveCampaign(ctx, params.campaignId))
