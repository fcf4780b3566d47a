import { Refused } from './google-ads-refused.ts'
import type { AdsAccount, Criterion } from './google-ads-rows.ts'
import { createAd, removeAd } from './google-ads-texts.ts'

type Fields = Record<string, unknown>
interface Operation {
  create?: Fields
  update?: Fields
  updateMask?: string
  remove?: string
}

const least = 10_000n
const most = 1_000_000_000_000n

function money(value: unknown): bigint {
  if (typeof value !== 'string' || !/^-?\d{1,19}$/.test(value))
    throw new Refused('requestError', 'INVALID_INPUT', `Invalid int64 value ${JSON.stringify(value)}`)
  const micros = BigInt(value)
  if (micros < 0n) throw new Refused('rangeError', 'TOO_LOW', 'Too low.')
  if (micros > most) throw new Refused('campaignBudgetError', 'MONEY_AMOUNT_TOO_LARGE', 'Too large.')
  if (micros % least !== 0n)
    throw new Refused(
      'campaignBudgetError',
      'NON_MULTIPLE_OF_MINIMUM_CURRENCY_UNIT',
      'A money amount was not a multiple of a minimum unit.',
    )
  return micros
}

const tail = (resource: unknown) => String(resource).split('/').at(-1) ?? ''
const absent = () => new Refused('mutateError', 'RESOURCE_NOT_FOUND', 'Resource was not found.')
const known = [
  'campaignBudgetOperation',
  'campaignOperation',
  'adGroupCriterionOperation',
  'campaignCriterionOperation',
  'adGroupAdOperation',
]

/** Does one operation on an account. @returns the resource name of what it has changed @throws Refused */
export function mutate(account: AdsAccount, given: Record<string, Operation>, newId: () => string): object {
  const [kind = '', operation = {}] = Object.entries(given)[0] ?? []
  if (!known.includes(kind)) throw new Refused('requestError', 'INVALID_INPUT', `Unknown name "${kind}"`)
  const { create, update, updateMask, remove } = operation
  const changed = (name: string, id: string) => ({
    [kind.replace('Operation', 'Result')]: { resourceName: `customers/${account.id}/${name}/${id}` },
  })
  if (kind === 'campaignBudgetOperation') {
    const id = tail(update?.['resourceName'])
    const budget = account.budgets.get(id)
    if (!budget || updateMask !== 'amount_micros') throw absent()
    const amount = money(update?.['amountMicros'])
    if (amount < 1_000_000n)
      throw new Refused('campaignBudgetError', 'BUDGET_BELOW_PER_DAY_MINIMUM', 'The budget is too low.')
    budget.amountMicros = amount
    return changed('campaignBudgets', id)
  }
  if (kind === 'campaignOperation') {
    const id = tail(update?.['resourceName'])
    const campaign = account.campaigns.get(id)
    if (!campaign || updateMask !== 'status') throw absent()
    campaign.status = String(update?.['status'])
    return changed('campaigns', id)
  }
  if (kind === 'adGroupAdOperation') {
    if (remove !== undefined) removeAd(account, tail(remove))
    return changed('adGroupAds', remove === undefined ? createAd(account, create ?? {}, newId) : tail(remove))
  }
  const ofCampaign = kind === 'campaignCriterionOperation'
  const all = ofCampaign ? account.negatives : account.criteria
  const collection = ofCampaign ? 'campaignCriteria' : 'adGroupCriteria'
  if (remove !== undefined) {
    if (!all.delete(tail(remove))) throw absent()
    return changed(collection, tail(remove))
  }
  if (update) {
    const id = tail(update['resourceName'])
    const one = all.get(id)
    if (!one) throw absent()
    if (one.negative) throw new Refused('criterionError', 'CANT_UPDATE_NEGATIVE', 'Cannot update a negative.')
    for (const path of String(updateMask).split(',')) {
      if (path === 'status') one.status = String(update['status'])
      else if (path === 'cpc_bid_micros') one.bidMicros = money(update['cpcBidMicros'])
      else throw new Refused('fieldMaskError', 'FIELD_NOT_FOUND', `Not there: ${path}`)
    }
    return changed(collection, id)
  }
  const keyword = create?.['keyword'] as { text?: string; matchType?: string } | undefined
  const of = tail(create?.[ofCampaign ? 'campaign' : 'adGroup'])
  if (!(ofCampaign ? account.campaigns : account.adGroups).has(of) || !keyword?.text) throw absent()
  if (keyword.text.length > 80 || keyword.text.split(' ').length > 10)
    throw new Refused('criterionError', 'KEYWORD_TEXT_TOO_LONG', 'Keyword text is too long.')
  const negative = create?.['negative'] === true
  const twin = [...all.values()].find(
    (one) =>
      one.of === of &&
      one.text === keyword.text &&
      one.matchType === keyword.matchType &&
      one.negative === negative,
  )
  const id = twin?.id ?? newId()
  // A criterion that is there already is answered as if it had been created, as Google does with keywords.
  if (!twin) {
    const made: Criterion = {
      id,
      of,
      text: keyword.text,
      matchType: keyword.matchType ?? 'BROAD',
      negative,
      status: String(create?.['status'] ?? 'ENABLED'),
    }
    if (create?.['cpcBidMicros'] !== undefined) made.bidMicros = money(create['cpcBidMicros'])
    all.set(`${of}~${id}`, made)
  }
  return changed(collection, `${of}~${id}`)
}
