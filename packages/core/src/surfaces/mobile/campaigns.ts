import { getCampaignForApp, listCampaignsForApp } from '../../domain/work/campaigns/mobile-queries.ts'
import {
  MobileCampaign,
  MobileCampaignPage,
  MobileCampaignQuery,
} from '../../domain/work/campaigns/mobile-schemas.ts'
import { endpoint } from '../../gateway/endpoint.ts'
import { team } from './access.ts'

export const list = endpoint({
  id: 'mobile.campaigns.list',
  route: 'GET /campaigns',
  summary: 'Campaigns in few words, newest first',
  access: team,
  query: MobileCampaignQuery,
  reply: { 200: MobileCampaignPage },
}).handle((ctx, { query }) => listCampaignsForApp(ctx, query))

export const get = endpoint({
  id: 'mobile.campaigns.get',
  route: 'GET /campaigns/:campaignId',
  summary: 'A campaign, how its promises stand, and its latest activities',
  access: team,
  reply: { 200: MobileCampaign },
}).handle((ctx, { params }) => getCampaignForApp(ctx, params.campaignId))
