import { z } from 'zod'
import { isoDay } from '../../../../../platform/wire.ts'
import type { PlatformCall } from '../../../../accounts/channels/platform-call.ts'
import { PlatformError } from '../../../../accounts/channels/platform-error.ts'
import type {
  CampaignAddress,
  LiveKeyword,
  PlatformGroup,
  PlatformKeyword,
  PlatformNegative,
  PlatformTerm,
  SearchAds,
} from '../../platform.ts'
import { count64, digits } from './campaigns.ts'
import { id64, int64, search } from './wire.ts'

const matchType = z.enum(['BROAD', 'PHRASE', 'EXACT']).transform((type) => type.toLowerCase() as 'broad')
/** What we do not know runs as little as what is paused. */
const status = z
  .string()
  .transform((word) => (word === 'ENABLED' ? 'enabled' : word === 'REMOVED' ? 'removed' : 'paused'))

const GroupRow = z.object({
  adGroup: z.object({ id: id64, name: z.string().max(1_000), status, cpcBidMicros: int64.optional() }),
})

const keyword = z.object({ text: z.string().min(1).max(200), matchType })
const CriterionRow = z.object({
  adGroup: z.object({ id: id64 }),
  adGroupCriterion: z.object({
    criterionId: id64,
    status,
    negative: z.boolean().default(false),
    keyword,
    cpcBidMicros: int64.optional(),
    qualityInfo: z.object({ qualityScore: z.int().optional() }).optional(),
  }),
})

const metrics = z.object({
  costMicros: count64,
  impressions: count64,
  clicks: count64,
  conversions: z.number().default(0),
})
const FigureRow = z.object({
  adGroup: z.object({ id: id64 }),
  adGroupCriterion: z.object({ criterionId: id64 }),
  metrics,
})
const NegativeRow = z.object({ campaignCriterion: z.object({ criterionId: id64, keyword }) })

const figures = 'metrics.cost_micros, metrics.impressions, metrics.clicks, metrics.conversions'

/** Attributes and figures are asked for apart: with figures, keywords that were not shown would be left out. */
export const readKeywords: SearchAds['keywords'] = async (call, { account, campaignId }, { from, to }) => {
  const only = `campaign.id = ${digits(campaignId)}`
  const ask = <S extends z.ZodType>(query: string, row: S) => search(call, account, query, row)
  const groups = await ask(
    `SELECT ad_group.id, ad_group.name, ad_group.status, ad_group.cpc_bid_micros FROM ad_group WHERE ${only} AND ad_group.status != 'REMOVED'`,
    GroupRow,
  )
  const criteria = await ask(
    `SELECT ad_group.id, ad_group_criterion.criterion_id, ad_group_criterion.status, ad_group_criterion.negative, ad_group_criterion.keyword.text, ad_group_criterion.keyword.match_type, ad_group_criterion.cpc_bid_micros, ad_group_criterion.quality_info.quality_score FROM ad_group_criterion WHERE ${only} AND ad_group_criterion.type = 'KEYWORD' AND ad_group_criterion.status != 'REMOVED'`,
    CriterionRow,
  )
  const shown = await ask(
    `SELECT ad_group.id, ad_group_criterion.criterion_id, ${figures} FROM keyword_view WHERE ${only} AND segments.date BETWEEN '${from}' AND '${to}'`,
    FigureRow,
  )
  const negatives = await ask(
    `SELECT campaign_criterion.criterion_id, campaign_criterion.keyword.text, campaign_criterion.keyword.match_type FROM campaign_criterion WHERE ${only} AND campaign_criterion.negative = TRUE AND campaign_criterion.type = 'KEYWORD'`,
    NegativeRow,
  )
  const known = new Map(
    shown.map((row) => [`${row.adGroup.id} ${row.adGroupCriterion.criterionId}`, row.metrics]),
  )
  return {
    groups: groups.map(({ adGroup }): PlatformGroup => {
      const { id, name, cpcBidMicros } = adGroup
      return { id, name, status: adGroup.status, bidMicros: cpcBidMicros ?? null }
    }),
    keywords: criteria
      .filter(({ adGroupCriterion }) => !adGroupCriterion.negative)
      .map((row) => toKeyword(row, known)),
    negatives: [
      ...negatives.map(({ campaignCriterion: one }) => toNegative(one, null)),
      ...criteria
        .filter(({ adGroupCriterion }) => adGroupCriterion.negative)
        .map(({ adGroup, adGroupCriterion }) => toNegative(adGroupCriterion, adGroup.id)),
    ],
  }
}

/** More keywords of one campaign are not looked through. */
const mostKeywords = 20_000

const EnabledRow = z.object({
  adGroup: z.object({ id: id64 }),
  adGroupCriterion: z.object({ keyword: z.object({ text: z.string() }) }),
})

export async function readEnabledKeywords(
  call: PlatformCall,
  { account, campaignId }: CampaignAddress,
): Promise<LiveKeyword[]> {
  const only = `campaign.id = ${digits(campaignId)} AND ad_group_criterion.type = 'KEYWORD'`
  const query = `SELECT ad_group.id, ad_group_criterion.keyword.text FROM ad_group_criterion WHERE ${only} AND ad_group_criterion.negative = FALSE AND ad_group_criterion.status = 'ENABLED' AND ad_group.status != 'REMOVED' LIMIT ${mostKeywords + 1}`
  const rows = await search(call, account, query, EnabledRow)
  if (rows.length > mostKeywords)
    throw new PlatformError(
      'validation',
      `The campaign has more than ${mostKeywords} keywords: whether a negative one would block them is not known`,
    )
  return rows.map(({ adGroup, adGroupCriterion }) => ({
    groupId: adGroup.id,
    text: adGroupCriterion.keyword.text,
  }))
}

function toKeyword(
  { adGroup, adGroupCriterion: one }: z.output<typeof CriterionRow>,
  known: ReadonlyMap<string, z.output<typeof metrics>>,
): PlatformKeyword {
  const brought = known.get(`${adGroup.id} ${one.criterionId}`)
  return {
    id: one.criterionId,
    groupId: adGroup.id,
    text: one.keyword.text,
    matchType: one.keyword.matchType,
    status: one.status,
    bidMicros: one.cpcBidMicros ?? null,
    qualityScore: one.qualityInfo?.qualityScore ?? null,
    impressions: brought?.impressions ?? 0,
    clicks: brought?.clicks ?? 0,
    costMicros: brought?.costMicros ?? 0,
    conversionMicros: Math.round((brought?.conversions ?? 0) * 1_000_000),
  }
}

const toNegative = (
  one: { criterionId: string; keyword: z.output<typeof keyword> },
  groupId: string | null,
): PlatformNegative => ({ id: one.criterionId, groupId, ...one.keyword })

const TermRow = z.object({
  searchTermView: z.object({ searchTerm: z.string().max(1_000) }),
  segments: z.object({ date: isoDay }),
  metrics,
})

export async function readTerms(
  call: PlatformCall,
  { account, campaignId }: CampaignAddress,
  { from, to }: { from: string; to: string },
): Promise<PlatformTerm[]> {
  const rows = await search(
    call,
    account,
    `SELECT search_term_view.search_term, segments.date, ${figures} FROM search_term_view WHERE campaign.id = ${digits(campaignId)} AND segments.date BETWEEN '${from}' AND '${to}'`,
    TermRow,
  )
  const all = new Map<string, PlatformTerm>()
  for (const { searchTermView, segments, metrics: brought } of rows) {
    const term = searchTermView.searchTerm.trim().toLowerCase().slice(0, 255).toWellFormed()
    if (term === '') continue
    const key = `${segments.date} ${term}`
    const sums = all.get(key) ?? {
      term,
      date: segments.date,
      impressions: 0,
      clicks: 0,
      costMicros: 0,
      conversionMicros: 0,
    }
    sums.impressions += brought.impressions
    sums.clicks += brought.clicks
    sums.costMicros += brought.costMicros
    sums.conversionMicros += Math.round(brought.conversions * 1_000_000)
    all.set(key, sums)
  }
  return [...all.values()]
}
