import type { PlatformCall } from '../../../accounts/channels/platform-call.ts'
import { PlatformError } from '../../../accounts/channels/platform-error.ts'
import type { ChangeItem } from '../changes/entities.ts'
import type { AdChanges, AdPlatform, CampaignAddress, ItemOutcome, PlatformCampaign } from '../platform.ts'

type Fields = Readonly<Record<string, unknown>>

/** What is particular to one of these platforms. */
interface CampaignFields {
  words: AdPlatform['words']
  campaign(call: PlatformCall, at: CampaignAddress): Promise<PlatformCampaign>
  dailySpend: AdChanges['dailySpend']
  /** The field of a campaign that holds a daily budget, or why the platform does not take that one. */
  budgetField(micros: number, currency: string): Fields | string
  /** Sends fields of a campaign, once. @throws PlatformError */
  update(call: PlatformCall, at: CampaignAddress, fields: Fields): Promise<void>
  /** Asks whether they would be taken; left out where the platform tries nothing out. @throws PlatformError */
  tryOut?(call: PlatformCall, at: CampaignAddress, fields: Fields): Promise<void>
}

/**
 * Changes at a platform without keywords: status and daily budget are fields of a campaign, which one request changes together or not
 * at all.
 */
export function campaignChanges(platform: CampaignFields): AdChanges {
  const { words, campaign, dailySpend, budgetField } = platform
  const fieldOf = ({ kind, after }: ChangeItem, currency: string): Fields | string => {
    if (kind === 'campaign_status' && (after === 'enabled' || after === 'paused'))
      return { status: words[after] }
    if (kind === 'daily_budget' && typeof after === 'number') return budgetField(after, currency)
    return 'The platform has no keywords'
  }
  return {
    dailySpend,
    async live(call, at, items) {
      const { status, dailyBudgetMicros, budgetName, budgetShared } = await campaign(call, at)
      const now = status === words.enabled ? 'enabled' : status === words.paused ? 'paused' : null
      const values = items.map(({ kind }) => ({
        value: kind === 'daily_budget' ? dailyBudgetMicros : kind === 'campaign_status' ? now : null,
      }))
      return { values, budget: { dailyBudgetMicros, budgetName, budgetShared } }
    },
    async mutate(call, at, items, { dry }) {
      const { account } = await campaign(call, at)
      const fields = items.map((item) => fieldOf(item, account.currency))
      if (dry) {
        const outcomes: ItemOutcome[] = []
        for (const field of fields) outcomes.push(await tried(platform, call, at, field))
        return outcomes
      }
      const refusal = fields.find((field) => typeof field === 'string')
      if (refusal !== undefined) throw new PlatformError('validation', refusal)
      await platform.update(call, at, Object.assign({}, ...fields) as Fields)
      return items.map(() => ({}))
    },
  }
}

/** Each by itself: a refusal does not say which field it is about. */
async function tried(
  { tryOut }: CampaignFields,
  call: PlatformCall,
  at: CampaignAddress,
  field: Fields | string,
): Promise<ItemOutcome> {
  if (typeof field === 'string') return { refusal: field }
  try {
    await tryOut?.(call, at, field)
    return {}
  } catch (error) {
    if (!(error instanceof PlatformError) || error.kind !== 'validation') throw error
    const { message: refusal, requestId } = error
    return { refusal, ...(requestId !== undefined && { requestId }) }
  }
}

/** Why a platform does not take an amount, where it takes only multiples of one. @param unit in millionths */
export const stepObstacle = (micros: number, unit: number): string | undefined =>
  micros % unit === 0 ? undefined : `The platform takes budgets in steps of ${unit / 1_000_000}`
