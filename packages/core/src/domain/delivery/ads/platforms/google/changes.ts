import { z } from 'zod'
import type { PlatformCall } from '../../../../accounts/channels/platform-call.ts'
import { PlatformError } from '../../../../accounts/channels/platform-error.ts'
import type { ChangeItem, ChangeValue } from '../../changes/entities.ts'
import type { AdChanges, CampaignAddress, ItemOutcome, LiveState, LiveValue } from '../../platform.ts'
import { adOperation, liveAds } from './ads.ts'
import { digits, readCampaign, readDailySpend } from './campaigns.ts'
import { readEnabledKeywords } from './keywords.ts'
import {
  errorsOf,
  googleAddress,
  googleHeaders,
  id64,
  int64,
  RpcStatus,
  readGoogle,
  requestIdOf,
  search,
} from './wire.ts'

const CriterionRow = z.object({
  adGroup: z.object({ id: id64, cpcBidMicros: int64.optional() }),
  adGroupCriterion: z.object({
    criterionId: id64,
    status: z.string(),
    negative: z.boolean().default(false),
    keyword: z.object({ text: z.string(), matchType: z.string() }),
    cpcBidMicros: int64.optional(),
  }),
})
const NegativeRow = z.object({
  campaignCriterion: z.object({
    criterionId: id64,
    keyword: z.object({ text: z.string(), matchType: z.string() }),
  }),
})

const statusOf = (word: string): ChangeValue =>
  word === 'ENABLED' ? 'enabled' : word === 'PAUSED' ? 'paused' : null

const aboutMoney: ReadonlySet<ChangeItem['kind']> = new Set([
  'daily_budget',
  'campaign_status',
  'keyword_bid',
])

async function live(
  call: PlatformCall,
  at: CampaignAddress,
  items: readonly ChangeItem[],
): Promise<LiveState> {
  const only = `campaign.id = ${digits(at.campaignId)}`
  const kinds = new Set(items.map(({ kind }) => kind))
  const inGroups = items.some(({ kind, groupId }) => kind !== 'ad' && groupId !== null)
  const isMoney = items.some(({ kind }) => aboutMoney.has(kind))
  const campaign = isMoney ? await readCampaign(call, at) : undefined
  const criteria = inGroups
    ? await search(
        call,
        at.account,
        `SELECT ad_group.id, ad_group.cpc_bid_micros, ad_group_criterion.criterion_id, ad_group_criterion.status, ad_group_criterion.negative, ad_group_criterion.keyword.text, ad_group_criterion.keyword.match_type, ad_group_criterion.cpc_bid_micros FROM ad_group_criterion WHERE ${only} AND ad_group_criterion.type = 'KEYWORD' AND ad_group_criterion.status != 'REMOVED'`,
        CriterionRow,
      )
    : []
  const negatives =
    kinds.has('negative_keyword') && items.some(({ groupId }) => groupId === null)
      ? await search(
          call,
          at.account,
          `SELECT campaign_criterion.criterion_id, campaign_criterion.keyword.text, campaign_criterion.keyword.match_type FROM campaign_criterion WHERE ${only} AND campaign_criterion.negative = TRUE AND campaign_criterion.type = 'KEYWORD'`,
          NegativeRow,
        )
      : []
  const ads = await liveAds(call, at, items)
  const valueOf = (item: ChangeItem): LiveValue => {
    if (item.kind === 'ad') return ads.get(item) ?? { value: null }
    if (item.kind === 'daily_budget') return { value: campaign?.dailyBudgetMicros ?? null }
    if (item.kind === 'campaign_status') return { value: statusOf(campaign?.status ?? '') }
    if (item.kind === 'negative_keyword' && item.groupId === null) {
      const found = negatives.find(({ campaignCriterion }) => isMeant(item, campaignCriterion))
      return found ? { value: 'present', externalId: found.campaignCriterion.criterionId } : { value: null }
    }
    const isNegative = item.kind === 'negative_keyword'
    const found = criteria.find(
      ({ adGroup, adGroupCriterion: one }) =>
        adGroup.id === item.groupId && one.negative === isNegative && isMeant(item, one),
    )
    if (!found) return { value: null }
    const { criterionId: externalId, status, cpcBidMicros = null } = found.adGroupCriterion
    if (isNegative) return { value: 'present', externalId }
    if (item.kind !== 'keyword_bid') return { value: statusOf(status), externalId }
    return { value: cpcBidMicros, externalId, groupBidMicros: found.adGroup.cpcBidMicros ?? null }
  }
  return { values: items.map(valueOf), budget: campaign }
}

/** By its id, and by its words where it has none yet. */
function isMeant(
  { externalId, text, matchType }: ChangeItem,
  one: { criterionId: string; keyword: { text: string; matchType: string } },
): boolean {
  if (externalId !== null) return one.criterionId === externalId
  const same = one.keyword.text.toLowerCase() === text?.toLowerCase()
  return same && one.keyword.matchType.toLowerCase() === matchType
}

function operationFor(at: CampaignAddress, budgetName: string | null, item: ChangeItem) {
  const { account, campaignId } = at
  const name = (kind: string, id: string) => `customers/${account.id}/${kind}/${id}`
  const { kind, groupId, externalId, after } = item
  const criterion = name('adGroupCriteria', `${groupId ?? ''}~${externalId ?? ''}`)
  const upper = (value: ChangeValue) => String(value).toUpperCase()
  switch (kind) {
    case 'ad':
      return adOperation(at, item)
    case 'keyword_bid':
      return {
        adGroupCriterionOperation: {
          update: { resourceName: criterion, cpcBidMicros: String(after) },
          updateMask: 'cpc_bid_micros',
        },
      }
    case 'keyword_status':
      return {
        adGroupCriterionOperation: {
          update: { resourceName: criterion, status: upper(after) },
          updateMask: 'status',
        },
      }
    case 'daily_budget':
      return {
        campaignBudgetOperation: {
          update: { resourceName: budgetName ?? '', amountMicros: String(after) },
          updateMask: 'amount_micros',
        },
      }
    case 'campaign_status':
      return {
        campaignOperation: {
          update: { resourceName: name('campaigns', campaignId), status: upper(after) },
          updateMask: 'status',
        },
      }
    case 'negative_keyword': {
      const keyword = { text: item.text ?? '', matchType: upper(item.matchType) }
      if (groupId !== null)
        return {
          adGroupCriterionOperation:
            after === null
              ? { remove: criterion }
              : { create: { adGroup: name('adGroups', groupId), negative: true, keyword } },
        }
      return {
        campaignCriterionOperation:
          after === null
            ? { remove: name('campaignCriteria', `${campaignId}~${externalId ?? ''}`) }
            : { create: { campaign: name('campaigns', campaignId), negative: true, keyword } },
      }
    }
  }
}

const Answer = z.object({
  mutateOperationResponses: z
    .array(z.record(z.string(), z.object({ resourceName: z.string().default('') })))
    .default([]),
  partialFailureError: RpcStatus.optional(),
})

/** Without `dry`, all of them are one transaction; a dry run tells of each what is wrong with it. */
async function mutate(
  call: PlatformCall,
  at: CampaignAddress & { budgetName: string | null },
  items: readonly ChangeItem[],
  { dry }: { dry: boolean },
): Promise<ItemOutcome[]> {
  const answer = await call.request({
    method: 'POST',
    url: googleAddress(call, `customers/${at.account.id}/googleAds:mutate`),
    headers: googleHeaders(call, at.account.loginId),
    json: {
      mutateOperations: items.map((item) => operationFor(at, at.budgetName, item)),
      partialFailure: dry,
      validateOnly: dry,
      responseContentType: 'RESOURCE_NAME_ONLY',
    },
    effect: dry ? 'read' : 'once',
  })
  const { mutateOperationResponses, partialFailureError } = readGoogle(answer, Answer)
  const errors = partialFailureError ? errorsOf(partialFailureError) : []
  const whole = errors.find(({ index }) => index === undefined)
  const requestId = requestIdOf(answer)
  if (whole) throw new PlatformError('validation', `${whole.message} (${whole.code})`, { requestId })
  return items.map((_, index) => {
    const error = errors.find((one) => one.index === index)
    const [result] = Object.values(mutateOperationResponses[index] ?? {})
    const externalId = /~(\d{1,20})$/.exec(result?.resourceName ?? '')?.[1]
    return {
      ...(error && { refusal: `${error.message} (${error.code})` }),
      ...(externalId !== undefined && { externalId }),
      ...(requestId !== undefined && { requestId }),
    }
  })
}

export const changes: AdChanges = {
  live,
  keywords: readEnabledKeywords,
  dailySpend: readDailySpend,
  mutate,
}
