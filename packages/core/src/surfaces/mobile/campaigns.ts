import { getForApp, listForApp } from '../../domain/campaigns/mobile-queries.ts'
import {
  MobileCampaign,
  MobileCampaignPage,
  MobileCampaignQuery,
} from '../../domain/campaigns/mobile-schemas.ts'
import { endpoint } from '../../gateway/endpoint.ts'
import { team } from './access.ts'

export const list = endpoint({
  id: 'mobile.campaigns.list',
  route: 'GET /campaigns',
  summary: 'Campaigns in few words, newest first',
  access: team,
  query: MobileCampaignQuery,
  reply: { 200: MobileCampaignPage },
  errors: ['VALIDATION_ERROR'],
}).handle((ctx, { query }) => listForApp(ctx, query))

export const detail = endpoint({
  id: 'mobile.campaigns.get',
  route: 'GET /campaigns/:campaignId',
  summary: 'A campaign, how its promises stand, and its latest activities',
  access: team,
  reply: { 200: MobileCampaign },
  errors: ['NOT_FOUND'],
}).handle((ctx, { params }) => getForApp(ctx, params.campaignId))
