import type { Ctx, Transaction } from '../../../../kernel/context.ts'
import { notFound } from '../../../../kernel/errors.ts'
import { equals, readNumbered, where } from '../../../../kernel/paging-queries.ts'
import { within } from '../../../../kernel/scope.ts'
import {
  count,
  exists,
  leftTable,
  like,
  nullable,
  pick,
  type RowOf,
  select,
  table,
} from '../../../../platform/database/read.ts'
import { CampaignMetrics } from '../../../work/campaigns/metrics/entities.ts'
import { AdChangeSet } from '../changes/entities.ts'
import { toOutcomes } from '../changes/queries.ts'
import { CampaignKeyword } from '../keywords/entities.ts'
import { requireCampaign } from '../mapping-queries.ts'
import { SearchTermReport } from '../terms/entities.ts'
import { CampaignRecommendation } from './entities.ts'
import type { AdviceQuery, Insights, Recommendation } from './schemas.ts'

const r = table(CampaignRecommendation, 'r')
const m = table(CampaignMetrics, 'm')
const k = table(CampaignKeyword, 'k')
const s = table(SearchTermReport, 's')

/** What was done about it. */
const c = leftTable(AdChangeSet, 'c')
const from = 'campaign_recommendations r left join ad_change_sets c on c.id = r.change_set_id'

const item = select({
  ...pick(r, 'id', 'campaignId', 'platform', 'kind', 'title', 'rationale', 'suggestedAction'),
  ...pick(r, 'estimatedImpact', 'priority', 'status', 'dmNote', 'clientNote', 'changeSetId'),
  ...pick(r, 'appliedAt', 'createdOn', 'updatedOn'),
  changeSetStatus: c.status,
  outcomes: c.outcomes,
  currency: c.currency,
})

const toItem = ({ outcomes, currency, ...rest }: RowOf<typeof item>): Recommendation => ({
  ...rest,
  outcomes: currency === null ? [] : toOutcomes(outcomes, currency),
})

/** By priority, then the newest first. Serves `GET /tenant/v1/campaigns/:campaignId/optimizations`. @throws DomainError `NOT_FOUND` */
export async function listAdvice(ctx: Ctx, campaignId: string, query: AdviceQuery) {
  await requireCampaign(ctx, campaignId)
  const { page, limit, status, platform } = query
  const condition = where(
    equals(r.campaignId, campaignId),
    equals(r.status, status),
    equals(r.platform, platform),
    within(ctx.scope, 'r.tenant_id'),
  )
  const list = { select: item, from, condition } as const
  return readNumbered(ctx.sql, { ...list, orderBy: 'r.rank, r.id desc', request: { page, limit } }, toItem)
}

/** How many recommendations stand with the figures. */
const latest = 10

/** The newest recommendations. Serves `GET /tenant/v1/campaigns/:campaignId/metrics/insights`. @throws DomainError `NOT_FOUND` */
export async function latestAdvice(ctx: Ctx, campaignId: string): Promise<Insights> {
  await requireCampaign(ctx, campaignId)
  const condition = where(equals(r.campaignId, campaignId), within(ctx.scope, 'r.tenant_id'))
  const rows = await item.all(ctx.sql, `from ${from} where ${condition.sql} order by r.id desc limit ?`, [
    ...condition.params,
    latest,
  ])
  return { data: rows.map(toItem) }
}

/** One recommendation as the list has it. @throws DomainError `NOT_FOUND` */
export async function adviceItem(ctx: Ctx, id: string): Promise<Recommendation> {
  const condition = where(within(ctx.scope, 'r.tenant_id'), equals(r.id, id))
  const row = await item.get(ctx.sql, `from ${from} where ${condition.sql}`, condition.params)
  if (!row) throw notFound('recommendation')
  return toItem(row)
}

/** Whether the same advice waits for people, or was skipped or followed since an instant. */
export function isAdvised(
  { tx }: Transaction,
  of: { campaignId: string; kind: string; subject: string; since: Date },
): Promise<boolean> {
  return exists(
    tx,
    `from ${r} where r.campaign_id = ? and r.kind = ? and r.subject = ?
       and (r.status not in ('skipped', 'applied') or r.updated_on > ?)`,
    [of.campaignId, of.kind, of.subject, of.since],
  )
}

const sums = select({
  impressions: count('sum(m.impressions)'),
  clicks: count('sum(m.clicks)'),
  costMicros: count('sum(m.cost_micros)'),
  conversionMicros: count('sum(m.conversion_micros)'),
})

/** What a campaign has cost and brought on one channel from a day to another, both counted. */
export async function sumsBetween(
  { sql }: Pick<Ctx, 'sql'>,
  campaignId: string,
  channel: string,
  { from, to }: { from: string; to: string },
) {
  const row = await sums.get(
    sql,
    `from ${m} where m.campaign_id = ? and m.channel = ? and m.date >= ? and m.date <= ?`,
    [campaignId, channel, from, to],
  )
  return row ?? { impressions: 0, clicks: 0, costMicros: 0, conversionMicros: 0 }
}

const keyword = select(pick(k, 'id', 'text', 'clicks', 'costMicros', 'conversionMicros'))
/** Keywords that are looked at; those that cost the most. */
const mostKeywords = 50
/** Search terms that are read: what people have declined is left out of them, and must not keep others back. */
const mostTerms = 500

/** Keywords that cost something and convert nothing, the dearest first. */
export const idleKeywords = ({ sql }: Pick<Ctx, 'sql'>, campaignId: string) =>
  keyword.all(
    sql,
    `from ${k} where k.campaign_id = ? and k.status = 'enabled' and k.conversion_micros = 0 and k.cost_micros > 0
     order by k.cost_micros desc, k.id limit ?`,
    [campaignId, mostKeywords],
  )

const term = select({
  term: s.term,
  clicks: count('sum(s.clicks)'),
  costMicros: count('sum(s.cost_micros)'),
  conversionMicros: count('sum(s.conversion_micros)'),
  /** When a person has decided on it last. */
  decidedOn: nullable(like(s.decidedOn, 'max(s.decided_on)')),
})

/** Search terms that have cost something and brought nothing, that no one has decided on and that are no keywords; the dearest first. */
export const openTerms = ({ sql }: Pick<Ctx, 'sql'>, campaignId: string) =>
  term.all(
    sql,
    `from ${s} where s.campaign_id = ? and (s.classification is null or s.classification = 'watch')
       and (s.classification_status is null or s.classification_status = 'pending') and length(s.term) <= 80
       and not exists (select 1 from campaign_keywords k where k.campaign_id = s.campaign_id and k.text = s.term and k.status <> 'removed')
     group by s.term having sum(s.cost_micros) > 0 and sum(s.conversion_micros) = 0
     order by sum(s.cost_micros) desc, s.term limit ?`,
    [campaignId, mostTerms],
  )

/** Search terms that were sorted as negative and are not at the platform, the dearest first. */
export const negativeTerms = ({ sql }: Pick<Ctx, 'sql'>, campaignId: string) =>
  term.all(
    sql,
    `from ${s} where s.campaign_id = ? and s.classification = 'add_as_negative' and s.classification_status <> 'pushed'
       and length(s.term) <= 80
     group by s.term order by sum(s.cost_micros) desc, s.term limit ?`,
    [campaignId, mostTerms],
  )
