import { importCampaigns, linkExternal, listForImport } from '../../domain/delivery/ads/import.ts'
import {
  Imported,
  ImportList,
  ImportOrder,
  ImportQuery,
  LinkOrder,
  Mapping,
  SyncStarted,
} from '../../domain/delivery/ads/schemas.ts'
import { campaignMetrics, startSync } from '../../domain/delivery/ads/sync.ts'
import { CampaignMetricsReply, MetricsQuery } from '../../domain/work/campaigns/metrics/schemas.ts'
import { endpoint } from '../../gateway/endpoint.ts'
import { everybody, team } from './access.ts'

export const importList = endpoint({
  id: 'tenant.campaigns.import_list',
  route: 'GET /campaigns/import',
  summary: 'The campaigns at an advertising platform, as it has them at present',
  access: team,
  query: ImportQuery,
  reply: { 200: ImportList },
  errors: ['NOT_FOUND', 'UNPROCESSABLE'],
}).handle((ctx, { query }) => listForImport(ctx, query))

export const importAll = endpoint({
  id: 'tenant.campaigns.import_all',
  route: 'POST /campaigns/import',
  summary: 'Take campaigns of an advertising platform over, and have their figures fetched',
  access: team,
  body: ImportOrder,
  reply: { 201: Imported },
  errors: ['NOT_FOUND', 'CONFLICT', 'UNPROCESSABLE'],
  audit: 'campaign.import',
}).handle((ctx, { body }) => importCampaigns(ctx, body))

export const linkCampaign = endpoint({
  id: 'tenant.campaigns.link_campaign',
  route: 'POST /campaigns/:campaignId/link-external',
  summary: 'Join a campaign to one that an advertising platform has',
  access: team,
  body: LinkOrder,
  reply: { 201: Mapping },
  errors: ['CONFLICT', 'UNPROCESSABLE'],
  audit: 'campaign.link_external',
}).handle((ctx, { params, body }) => linkExternal(ctx, params.campaignId, body))

export const metrics = endpoint({
  id: 'tenant.campaigns.metrics',
  route: 'GET /campaigns/:campaignId/metrics',
  summary: 'What a campaign has brought, by day, week or month, with totals',
  access: everybody,
  query: MetricsQuery,
  reply: { 200: CampaignMetricsReply },
}).handle((ctx, { params, query }) => campaignMetrics(ctx, params.campaignId, query))

export const syncMetrics = endpoint({
  id: 'tenant.campaigns.sync_metrics',
  route: 'POST /campaigns/:campaignId/metrics/sync',
  summary: 'Have the figures of a campaign fetched from its platforms',
  access: team,
  reply: { 202: SyncStarted },
  errors: ['BAD_REQUEST'],
  audit: 'campaign.sync_metrics',
}).handle((ctx, { params }) => startSync(ctx, params.campaignId))
