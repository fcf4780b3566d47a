import { listAdGroups, listKeywords, listNegatives } from '../../domain/delivery/ads/keywords/queries.ts'
import {
  AdGroupPage,
  AdGroupQuery,
  KeywordPage,
  KeywordQuery,
  NegativePage,
  NegativeQuery,
} from '../../domain/delivery/ads/keywords/schemas.ts'
import { startKeywordSync } from '../../domain/delivery/ads/keywords/sync.ts'
import { SyncStarted } from '../../domain/delivery/ads/schemas.ts'
import { startClassifying } from '../../domain/delivery/ads/terms/classify.ts'
import { listTerms } from '../../domain/delivery/ads/terms/queries.ts'
import {
  ClassifyStarted,
  TermDecision,
  TermItem,
  TermPage,
  TermQuery,
  TermSyncOrder,
} from '../../domain/delivery/ads/terms/schemas.ts'
import { decideTerm, startTermSync } from '../../domain/delivery/ads/terms/terms.ts'
import { endpoint } from '../../gateway/endpoint.ts'
import { everybody, team } from './access.ts'

export const adGroups = endpoint({
  id: 'tenant.campaigns.ad_groups',
  route: 'GET /campaigns/:campaignId/ad-groups',
  summary: 'The ad groups of a campaign',
  access: everybody,
  query: AdGroupQuery,
  reply: { 200: AdGroupPage },
}).handle((ctx, { params, query }) => listAdGroups(ctx, params.campaignId, query))

export const keywords = endpoint({
  id: 'tenant.campaigns.keywords',
  route: 'GET /campaigns/:campaignId/keywords',
  summary: 'The keywords of a campaign with what they have brought',
  access: everybody,
  query: KeywordQuery,
  reply: { 200: KeywordPage },
}).handle((ctx, { params, query }) => listKeywords(ctx, params.campaignId, query))

export const syncKeywords = endpoint({
  id: 'tenant.campaigns.sync_keywords',
  route: 'POST /campaigns/:campaignId/keywords/sync',
  summary: 'Have ad groups, keywords and negative keywords fetched',
  access: team,
  reply: { 202: SyncStarted },
  errors: ['BAD_REQUEST', 'UNPROCESSABLE'],
  audit: 'campaign.sync_keywords',
}).handle((ctx, { params }) => startKeywordSync(ctx, params.campaignId))

export const negativeKeywords = endpoint({
  id: 'tenant.campaigns.negative_keywords',
  route: 'GET /campaigns/:campaignId/negative-keywords',
  summary: 'The searches for which no ad of a campaign is shown, newest first',
  access: everybody,
  query: NegativeQuery,
  reply: { 200: NegativePage },
}).handle((ctx, { params, query }) => listNegatives(ctx, params.campaignId, query))

export const searchTerms = endpoint({
  id: 'tenant.campaigns.search_terms',
  route: 'GET /campaigns/:campaignId/search-terms',
  summary: 'What people have searched for, by day, newest first',
  access: everybody,
  query: TermQuery,
  reply: { 200: TermPage },
}).handle((ctx, { params, query }) => listTerms(ctx, params.campaignId, query))

export const syncTerms = endpoint({
  id: 'tenant.campaigns.sync_terms',
  route: 'POST /campaigns/:campaignId/search-terms/sync',
  summary: 'Have search terms of some days fetched',
  access: team,
  body: TermSyncOrder,
  reply: { 202: SyncStarted },
  errors: ['BAD_REQUEST', 'UNPROCESSABLE'],
  audit: 'campaign.sync_search_terms',
}).handle((ctx, { params, body }) => startTermSync(ctx, params.campaignId, body))

export const classifyTerms = endpoint({
  id: 'tenant.campaigns.classify_terms',
  route: 'POST /campaigns/:campaignId/search-terms/classify',
  summary: 'Have the search terms sorted that nobody has sorted',
  access: team,
  reply: { 202: ClassifyStarted },
  audit: 'campaign.classify_search_terms',
}).handle((ctx, { params }) => startClassifying(ctx, params.campaignId))

export const decideTermClass = endpoint({
  id: 'tenant.campaigns.decide_term_class',
  route: 'PATCH /campaigns/:campaignId/search-terms/:searchTermId/classification',
  summary: 'Say what a search term is, for all of its days',
  access: team,
  body: TermDecision,
  reply: { 200: TermItem },
  errors: ['CONFLICT'],
  audit: 'search_term.classify',
}).handle((ctx, { params, body }) => decideTerm(ctx, params, body))
