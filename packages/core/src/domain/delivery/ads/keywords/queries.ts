import type { Ctx } from '../../../../kernel/context.ts'
import { notFound } from '../../../../kernel/errors.ts'
import { type Condition, equals, readNumbered, where } from '../../../../kernel/paging-queries.ts'
import { within } from '../../../../kernel/scope.ts'
import { pick, type RowOf, select, table } from '../../../../platform/database/read.ts'
import { toFigures } from '../../../work/campaigns/metrics/figures.ts'
import { requireCampaign } from '../mapping-queries.ts'
import { AdGroup, CampaignKeyword, NegativeKeyword } from './entities.ts'
import type { AdGroupQuery, KeywordItem, KeywordQuery, NegativeItem, NegativeQuery } from './schemas.ts'

const g = table(AdGroup, 'g')
const k = table(CampaignKeyword, 'k')
const n = table(NegativeKeyword, 'n')

const group = select(pick(g, 'id', 'name', 'status', 'defaultBidMicros', 'externalId'))
const keyword = select({
  ...pick(k, 'id', 'adGroupId', 'text', 'matchType', 'status', 'bidMicros', 'qualityScore', 'impressions'),
  ...pick(k, 'clicks', 'costMicros', 'conversionMicros', 'externalCriterionId', 'updatedOn'),
})
const negative = select({
  ...pick(n, 'id', 'matchType', 'adGroupId', 'source', 'status', 'externalCriterionId', 'createdOn'),
  keyword: n.text,
})

/** Serves `GET /tenant/v1/campaigns/:campaignId/ad-groups`, by name of the platform's order. @throws DomainError `NOT_FOUND` */
export async function listAdGroups(ctx: Ctx, campaignId: string, { page, limit }: AdGroupQuery) {
  await requireCampaign(ctx, campaignId)
  const condition = where(equals(g.campaignId, campaignId), within(ctx.scope, 'g.tenant_id'))
  const from = 'ad_groups g'
  return readNumbered(
    ctx.sql,
    { select: group, from, condition, orderBy: 'g.id', request: { page, limit } },
    (row) => row,
  )
}

/** Serves `GET /tenant/v1/campaigns/:campaignId/keywords`, the oldest first. @throws DomainError `NOT_FOUND` */
export async function listKeywords(ctx: Ctx, campaignId: string, query: KeywordQuery) {
  await requireCampaign(ctx, campaignId)
  const { page, limit, adGroupId, status, matchType } = query
  const condition = where(
    equals(k.campaignId, campaignId),
    equals(k.adGroupId, adGroupId),
    equals(k.status, status),
    equals(k.matchType, matchType),
    within(ctx.scope, 'k.tenant_id'),
  )
  const from = 'campaign_keywords k'
  return readNumbered(
    ctx.sql,
    { select: keyword, from, condition, orderBy: 'k.id', request: { page, limit } },
    toKeyword,
  )
}

const worded = select({ text: k.text })

/** The texts of the keywords of a campaign that run and have cost the most, 30 at most. */
export async function topKeywords({ sql }: Ctx, campaignId: string): Promise<string[]> {
  const from = `from ${k} where k.campaign_id = ? and k.status = 'enabled' order by k.cost_micros desc, k.id limit 30`
  return (await worded.all(sql, from, [campaignId])).map(({ text }) => text)
}

/** One keyword as the list has it. @throws DomainError `NOT_FOUND` */
export async function keywordItem(ctx: Ctx, id: string): Promise<KeywordItem> {
  const condition = where(within(ctx.scope, 'k.tenant_id'), equals(k.id, id))
  const row = await keyword.get(ctx.sql, `from ${k} where ${condition.sql}`, condition.params)
  if (!row) throw notFound('keyword')
  return toKeyword(row)
}

function toKeyword(row: RowOf<typeof keyword>): KeywordItem {
  const { costMicros, conversionMicros, ...rest } = row
  const { impressions, clicks } = row
  const sums = { currency: '', impressions, clicks, costMicros, conversionMicros }
  const { ctr, averageCpc, conversions } = toFigures(sums)
  return { ...rest, ctr, averageCpc, conversions }
}

/** Serves `GET /tenant/v1/campaigns/:campaignId/negative-keywords`, the newest first. @throws DomainError `NOT_FOUND` */
export async function listNegatives(ctx: Ctx, campaignId: string, query: NegativeQuery) {
  await requireCampaign(ctx, campaignId)
  const { page, limit, adGroupId, status } = query
  const condition = where(
    equals(n.campaignId, campaignId),
    equals(n.status, status),
    ofGroup(adGroupId),
    within(ctx.scope, 'n.tenant_id'),
  )
  const from = 'negative_keywords n'
  return readNumbered(
    ctx.sql,
    { select: negative, from, condition, orderBy: 'n.id desc', request: { page, limit } },
    (row) => row,
  )
}

/** One negative keyword as the list has it. @throws DomainError `NOT_FOUND` */
export async function negativeItem(ctx: Ctx, id: string): Promise<NegativeItem> {
  const condition = where(within(ctx.scope, 'n.tenant_id'), equals(n.id, id))
  const row = await negative.get(ctx.sql, `from ${n} where ${condition.sql}`, condition.params)
  if (!row) throw notFound('negative keyword')
  return row
}

const ofGroup = (adGroupId: string | undefined): Condition | undefined =>
  adGroupId === 'null' ? { sql: 'n.ad_group_id is null', params: [] } : equals(n.adGroupId, adGroupId)
