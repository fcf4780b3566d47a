import { z } from 'zod'
import { approveChangeSet } from '../../domain/delivery/ads/changes/decide.ts'
import {
  addNegative as addOne,
  changeKeyword as changeOne,
  pushNegatives as pushAll,
  removeNegative as removeOne,
} from '../../domain/delivery/ads/changes/immediate.ts'
import { createChangeSet } from '../../domain/delivery/ads/changes/plan.ts'
import { getChangeSet, listChangeSets } from '../../domain/delivery/ads/changes/queries.ts'
import {
  ChangeSet,
  ChangeSetApproval,
  ChangeSetPage,
  ChangeSetQuery,
  KeywordChange,
  NegativesReceipt,
  NewChangeSet,
  NewNegative,
  PushOrder,
} from '../../domain/delivery/ads/changes/schemas.ts'
import { undoChangeSet } from '../../domain/delivery/ads/changes/undo.ts'
import { KeywordItem, NegativeItem } from '../../domain/delivery/ads/keywords/schemas.ts'
import { OfTenant } from '../../domain/work/brand/schemas.ts'
import { endpoint } from '../../gateway/endpoint.ts'
import { admins, everybody, team } from './access.ts'

export const changeKeyword = endpoint({
  id: 'tenant.campaigns.change_keyword',
  route: 'PATCH /campaigns/:campaignId/keywords/:keywordId',
  summary: 'Change bid or status of a keyword at the platform, at once and within the guardrails',
  access: team,
  body: KeywordChange,
  reply: { 200: KeywordItem },
  errors: ['BAD_REQUEST', 'CONFLICT', 'UNPROCESSABLE'],
  audit: 'keyword.change',
}).handle((ctx, { params, body }) => changeOne(ctx, params, body))

export const addNegative = endpoint({
  id: 'tenant.campaigns.add_negative',
  route: 'POST /campaigns/:campaignId/negative-keywords',
  summary: 'Show no ads for a search: here, and at the platform at once',
  access: team,
  body: NewNegative,
  reply: { 201: NegativeItem },
  errors: ['BAD_REQUEST', 'CONFLICT', 'UNPROCESSABLE'],
  audit: 'negative_keyword.create',
}).handle((ctx, { params, body }) => addOne(ctx, params.campaignId, body))

export const removeNegative = endpoint({
  id: 'tenant.campaigns.remove_negative',
  route: 'DELETE /campaigns/:campaignId/negative-keywords/:negativeKeywordId',
  summary: 'Remove a negative keyword at the platform',
  access: team,
  reply: { 204: z.void() },
  errors: ['BAD_REQUEST', 'CONFLICT', 'UNPROCESSABLE'],
  audit: 'negative_keyword.remove',
}).handle((ctx, { params }) => removeOne(ctx, params))

export const pushNegatives = endpoint({
  id: 'tenant.campaigns.push_negatives',
  route: 'POST /campaigns/:campaignId/search-terms/push-negatives',
  summary: 'Make negative keywords of all search terms that people have decided so about',
  access: team,
  body: PushOrder,
  reply: { 200: NegativesReceipt },
  errors: ['BAD_REQUEST', 'CONFLICT', 'UNPROCESSABLE'],
  audit: 'campaign.push_negatives',
}).handle((ctx, { params, body }) => pushAll(ctx, params.campaignId, body))

export const changeSets = endpoint({
  id: 'tenant.campaigns.change_sets',
  route: 'GET /campaigns/:campaignId/change-sets',
  summary: 'What was planned and changed at the platform, newest first',
  access: everybody,
  query: ChangeSetQuery,
  reply: { 200: ChangeSetPage },
}).handle((ctx, { params, query }) => listChangeSets(ctx, params.campaignId, query))

export const planChangeSet = endpoint({
  id: 'tenant.campaigns.plan_change_set',
  route: 'POST /campaigns/:campaignId/change-sets',
  summary: 'Plan changes at the platform: checked and validated, and done once a person approves the digest',
  access: team,
  body: NewChangeSet,
  reply: { 201: ChangeSet },
  errors: ['BAD_REQUEST', 'CONFLICT', 'UNPROCESSABLE'],
  audit: 'ad_change_set.plan',
}).handle((ctx, { params, body }) => createChangeSet(ctx, params.campaignId, body))

export const changeSet = endpoint({
  id: 'tenant.campaigns.change_set',
  route: 'GET /campaigns/:campaignId/change-sets/:changeSetId',
  summary: 'A change set with before, after and what the platform has of each item',
  access: everybody,
  query: OfTenant,
  reply: { 200: ChangeSet },
}).handle((ctx, { params }) => getChangeSet(ctx, params.campaignId, params.changeSetId))

export const approveSet = endpoint({
  id: 'tenant.campaigns.approve_set',
  route: 'POST /campaigns/:campaignId/change-sets/:changeSetId/approve',
  summary: 'Approve a change set by its digest: it is applied at once',
  access: admins,
  body: ChangeSetApproval,
  reply: { 200: ChangeSet },
  errors: ['CONFLICT'],
  audit: 'ad_change_set.approve',
}).handle((ctx, { params, body }) => approveChangeSet(ctx, params, body))

export const undoSet = endpoint({
  id: 'tenant.campaigns.undo_set',
  route: 'POST /campaigns/:campaignId/change-sets/:changeSetId/undo',
  summary: 'Plan the way back of a change set that was applied',
  access: team,
  reply: { 201: ChangeSet },
  errors: ['BAD_REQUEST', 'CONFLICT', 'UNPROCESSABLE'],
  audit: 'ad_change_set.undo',
}).handle((ctx, { params }) => undoChangeSet(ctx, params))
