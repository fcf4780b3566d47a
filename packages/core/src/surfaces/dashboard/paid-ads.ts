import { listPaidCampaigns } from '../../domain/delivery/ads/paid-queries.ts'
import { PaidCampaignPage, PaidCampaignQuery } from '../../domain/delivery/ads/paid-schemas.ts'
import { listTermIntents } from '../../domain/delivery/ads/terms/queries.ts'
import {
  IntentDecision,
  IntentItem,
  IntentPage,
  IntentQuery,
} from '../../domain/delivery/ads/terms/schemas.ts'
import { decideIntent } from '../../domain/delivery/ads/terms/terms.ts'
import { endpoint } from '../../gateway/endpoint.ts'
import { team } from './access.ts'

export const campaigns = endpoint({
  id: 'dashboard.paid_ads.campaigns',
  route: 'GET /paid-ads/campaigns',
  summary: 'The campaigns that run at advertising platforms with what they have brought, newest first',
  access: team,
  query: PaidCampaignQuery,
  reply: { 200: PaidCampaignPage },
}).handle((ctx, { query }) => listPaidCampaigns(ctx, query))

export const searchTerms = endpoint({
  id: 'dashboard.paid_ads.search_terms',
  route: 'GET /paid-ads/search-terms',
  summary: 'What people have searched for when ads were shown, newest first',
  access: team,
  query: IntentQuery,
  reply: { 200: IntentPage },
}).handle((ctx, { query }) => listTermIntents(ctx, query))

export const classify = endpoint({
  id: 'dashboard.paid_ads.classify',
  route: 'PATCH /paid-ads/search-terms/:searchTermId/classify',
  summary: 'Say what a search term is, for all of its days',
  access: team,
  body: IntentDecision,
  reply: { 200: IntentItem },
  errors: ['CONFLICT'],
  audit: 'search_term.classify',
}).handle((ctx, { params, body }) => decideIntent(ctx, params.searchTermId, body))
