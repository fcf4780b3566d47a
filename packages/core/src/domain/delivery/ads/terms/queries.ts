import type { Ctx, Transaction } from '../../../../kernel/context.ts'
import { notFound } from '../../../../kernel/errors.ts'
import { readPage } from '../../../../kernel/page-queries.ts'
import { type Condition, equals, type Page, readNumbered, where } from '../../../../kernel/paging-queries.ts'
import { within } from '../../../../kernel/scope.ts'
import { upsertRows } from '../../../../kernel/upsert-queries.ts'
import { count, pick, type RowOf, select, table, text } from '../../../../platform/database/read.ts'
import { toFigures } from '../../../work/campaigns/metrics/figures.ts'
import type { MappingRow } from '../entities.ts'
import { requireCampaign } from '../mapping-queries.ts'
import type { PlatformTerm } from '../platform.ts'
import { type Classification, SearchTermReport, type SearchTermRow } from './entities.ts'
import { classificationOf, intentOf, type TermSums } from './policy.ts'
import type { IntentItem, IntentQuery, TermItem, TermQuery } from './schemas.ts'

const s = table(SearchTermReport, 's')
const item = select({
  ...pick(s, 'id', 'campaignId', 'date', 'currency', 'impressions', 'clicks', 'costMicros'),
  ...pick(s, 'conversionMicros', 'classification', 'classificationStatus', 'reason', 'note', 'decidedOn'),
  searchTerm: s.term,
  decidedBy: s.decidedByName,
})

/** Serves `GET /tenant/v1/campaigns/:campaignId/search-terms`, the newest first. @throws DomainError `NOT_FOUND` */
export async function listTerms(ctx: Ctx, campaignId: string, query: TermQuery) {
  await requireCampaign(ctx, campaignId)
  const { page, limit, classified, classification } = query
  const condition = where(
    equals(s.campaignId, campaignId),
    equals(s.classification, classification),
    sorted(classified),
    within(ctx.scope, 's.tenant_id'),
  )
  return readNumbered(
    ctx.sql,
    { select: item, from: 'search_terms s', condition, orderBy: 's.id desc', request: { page, limit } },
    toTerm,
  )
}

const sorted = (classified: boolean | undefined): Condition | undefined =>
  classified === undefined
    ? undefined
    : { sql: `s.classification is ${classified ? 'not ' : ''}null`, params: [] }

function toTerm(row: RowOf<typeof item>): TermItem {
  const { currency, impressions, clicks, costMicros, conversionMicros, ...rest } = row
  return { ...rest, ...toFigures({ currency, impressions, clicks, costMicros, conversionMicros }) }
}

/** What people have searched for in all campaigns, the newest first. Serves `GET /dashboard/v1/paid-ads/search-terms`. */
export function listTermIntents(ctx: Ctx, query: IntentQuery): Promise<Page<IntentItem>> {
  const intent = query['filter.classification']
  return readPage(
    ctx,
    {
      select: item,
      from: `from ${s}`,
      id: s.id,
      rows: within(ctx.scope, 's.tenant_id'),
      filters: [
        equals(s.campaignId, query['filter.campaignId']),
        equals(s.classification, intent && classificationOf(intent)),
      ],
      request: query,
    },
    (row) => toIntent(toTerm(row)),
  )
}

export const toIntent = (term: TermItem): IntentItem => ({
  ...term,
  classification: intentOf(term.classification),
})

/** One report as the list has it. @throws DomainError `NOT_FOUND` */
export async function termItem(ctx: Ctx, id: string): Promise<TermItem> {
  const condition = where(within(ctx.scope, 's.tenant_id'), equals(s.id, id))
  const row = await item.get(ctx.sql, `from ${s} where ${condition.sql}`, condition.params)
  if (!row) throw notFound('search term')
  return toTerm(row)
}

/** Writes what people have searched for; days that are known are put right. */
export async function recordTerms(
  txn: Transaction,
  { tenantId, campaignId, currency }: Pick<MappingRow, 'tenantId' | 'campaignId' | 'currency'>,
  terms: readonly PlatformTerm[],
): Promise<void> {
  const now = txn.clock.date()
  await upsertRows(
    txn.tx,
    {
      table: 'search_terms',
      key: ['campaign_id', 'term', 'date'],
      fixed: ['id', 'tenant_id'],
      values: ['currency', 'impressions', 'clicks', 'cost_micros', 'conversion_micros'],
      stamp: ['updated_on'],
    },
    terms.map((one) => ({
      id: txn.newId(),
      tenant_id: tenantId,
      campaign_id: campaignId,
      term: one.term,
      date: one.date,
      currency,
      impressions: one.impressions,
      clicks: one.clicks,
      cost_micros: one.costMicros,
      conversion_micros: one.conversionMicros,
      updated_on: now,
    })),
  )
  // A new day of a term that was sorted is sorted alike.
  await txn.tx.run(
    `update search_terms set classification = o.classification, classification_status = o.classification_status,
       reason = o.reason, note = o.note, decided_by_name = o.decided_by_name, decided_on = o.decided_on
     from (select x.campaign_id, x.term, max(x.id) as id from search_terms x
       where x.campaign_id = ? and x.classification is not null group by x.campaign_id, x.term) last
       join search_terms o on o.id = last.id
     where search_terms.campaign_id = last.campaign_id and search_terms.term = last.term
       and search_terms.campaign_id = ? and search_terms.classification is null`,
    [campaignId, campaignId],
  )
}

const unsorted = select({ total: count('count(*)') })

/** How many reports of a campaign nobody has sorted. */
export async function countUnsorted({ sql }: Ctx, campaignId: string): Promise<number> {
  const row = await unsorted.get(sql, `from ${s} where s.campaign_id = ? and s.classification is null`, [
    campaignId,
  ])
  return row?.total ?? 0
}

/** Marks what has become of terms that are to be negative. */
export async function markPushed(
  { tx, clock }: Transaction,
  campaignId: string,
  term: string,
  status: 'pushed' | 'dm_reviewed',
): Promise<void> {
  await tx.run(
    `update search_terms set classification_status = ?, updated_on = ?
     where campaign_id = ? and term = ? and classification = 'add_as_negative'`,
    [status, clock.date(), campaignId, term],
  )
}

const summed = select({
  term: s.term,
  currency: text('max(s.currency)'),
  impressions: count('sum(s.impressions)'),
  clicks: count('sum(s.clicks)'),
  costMicros: count('sum(s.cost_micros)'),
  conversionMicros: count('sum(s.conversion_micros)'),
  isKeyword: count(
    `(select count(*) from campaign_keywords k where k.campaign_id = max(s.campaign_id) and k.text = s.term and k.status <> 'removed')`,
  ),
})

/** Terms of a campaign that nobody has sorted, after one, with the sums of all of their days. */
export function unsortedTerms(
  { sql }: Ctx,
  campaignId: string,
  after: string,
  limit: number,
): Promise<Array<TermSums & { currency: string; isKeyword: number }>> {
  return summed.all(
    sql,
    `from ${s} where s.campaign_id = ? and s.term in (select distinct n.term from search_terms n
       where n.campaign_id = ? and n.classification is null and n.term > ? order by n.term limit ?)
     group by s.term order by s.term`,
    [campaignId, campaignId, after, limit],
  )
}

const all = select({
  costMicros: count('sum(s.cost_micros)'),
  conversionMicros: count('sum(s.conversion_micros)'),
})

/** What one conversion costs in a campaign; null where nothing has converted. */
export async function costPerConversion({ sql }: Ctx, campaignId: string): Promise<number | null> {
  const row = await all.get(sql, `from ${s} where s.campaign_id = ?`, [campaignId])
  if (!row || row.conversionMicros === 0) return null
  return Math.round(row.costMicros / (row.conversionMicros / 1_000_000))
}

/** Sorts all days of a term. @param only `unsorted`: what a person has decided stays */
export async function sortTerm(
  { tx, clock }: Transaction,
  campaignId: string,
  term: string,
  set: {
    classification: Classification
    classificationStatus: NonNullable<SearchTermRow['classificationStatus']>
    reason?: string
    note?: string | null
    decidedByName?: string
  },
  only: 'unsorted' | 'all',
): Promise<void> {
  const now = clock.date()
  const { classification, classificationStatus, reason, note, decidedByName } = set
  await tx.run(
    `update search_terms set classification = ?, classification_status = ?, reason = coalesce(?, reason), note = ?,
       decided_by_name = ?, decided_on = ?, updated_on = ?
     where campaign_id = ? and term = ?${only === 'unsorted' ? ' and classification is null' : ''}`,
    [
      classification,
      classificationStatus,
      reason ?? null,
      note ?? null,
      decidedByName ?? null,
      decidedByName === undefined ? null : now,
      now,
      campaignId,
      term,
    ],
  )
}
