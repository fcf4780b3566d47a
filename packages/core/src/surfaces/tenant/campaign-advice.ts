import {
  applyAdvice as applyOne,
  decideAdvice as decideOne,
  startAdvising,
} from '../../domain/delivery/ads/advice/advise.ts'
import { latestAdvice, listAdvice } from '../../domain/delivery/ads/advice/queries.ts'
import {
  AdviceDecision,
  AdviceQuery,
  Insights,
  Recommendation,
  RecommendationPage,
} from '../../domain/delivery/ads/advice/schemas.ts'
import { SyncStarted } from '../../domain/delivery/ads/schemas.ts'
import { OfTenant } from '../../domain/work/brand/schemas.ts'
import { endpoint } from '../../gateway/endpoint.ts'
import { admins, everybody, team } from './access.ts'

export const insights = endpoint({
  id: 'tenant.campaigns.insights',
  route: 'GET /campaigns/:campaignId/metrics/insights',
  summary: 'The newest recommendations for a campaign',
  access: everybody,
  query: OfTenant,
  reply: { 200: Insights },
}).handle((ctx, { params }) => latestAdvice(ctx, params.campaignId))

export const optimizations = endpoint({
  id: 'tenant.campaigns.optimizations',
  route: 'GET /campaigns/:campaignId/optimizations',
  summary: 'Recommendations for a campaign by priority, then newest first',
  access: everybody,
  query: AdviceQuery,
  reply: { 200: RecommendationPage },
}).handle((ctx, { params, query }) => listAdvice(ctx, params.campaignId, query))

export const advise = endpoint({
  id: 'tenant.campaigns.advise',
  route: 'POST /campaigns/:campaignId/optimizations/trigger',
  summary: 'Look for recommendations at once',
  access: team,
  reply: { 202: SyncStarted },
  errors: ['BAD_REQUEST'],
  audit: 'campaign.advise',
}).handle((ctx, { params }) => startAdvising(ctx, params.campaignId))

export const decideAdvice = endpoint({
  id: 'tenant.campaigns.decide_advice',
  route: 'PATCH /campaigns/:campaignId/optimizations/:recommendationId',
  summary: 'Skip, approve or reject a recommendation, within what the role may',
  access: everybody,
  query: OfTenant,
  body: AdviceDecision,
  reply: { 200: Recommendation },
  errors: ['CONFLICT'],
  audit: 'recommendation.decide',
}).handle((ctx, { params, body }) => decideOne(ctx, params, body))

export const applyAdvice = endpoint({
  id: 'tenant.campaigns.apply_advice',
  route: 'POST /campaigns/:campaignId/optimizations/:recommendationId/apply',
  summary: 'Do what is suggested, through a change set',
  access: admins,
  reply: { 200: Recommendation },
  errors: ['BAD_REQUEST', 'CONFLICT', 'UNPROCESSABLE'],
  audit: 'recommendation.apply',
}).handle((ctx, { params }) => applyOne(ctx, params))
