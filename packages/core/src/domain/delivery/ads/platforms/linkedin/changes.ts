import { decimalsOf } from '../../../../accounts/billing/amounts.ts'
import { askRest, linkedinUrl } from '../../../publishing/connectors/linkedin/rest.ts'
import { campaignChanges, stepObstacle } from '../campaign-changes.ts'
import { smallestUnit } from '../values.ts'
import { linkedinCampaign, linkedinCampaignPath, linkedinDailySpend } from './campaigns.ts'

/** Its words for what we call enabled and paused. */
export const linkedinWords = { enabled: 'ACTIVE', paused: 'PAUSED' } as const

/** LinkedIn tries nothing out: what is known of its rules is looked at here. */
export const linkedinChanges = campaignChanges({
  words: linkedinWords,
  campaign: linkedinCampaign,
  dailySpend: linkedinDailySpend,
  budgetField(micros, currencyCode) {
    const amount = (micros / 1_000_000).toFixed(decimalsOf(currencyCode))
    return stepObstacle(micros, smallestUnit(currencyCode)) ?? { dailyBudget: { amount, currencyCode } }
  },
  async update(call, at, fields) {
    await askRest(call, {
      method: 'POST',
      url: linkedinUrl(call, linkedinCampaignPath(at)),
      headers: { 'x-restli-method': 'PARTIAL_UPDATE' },
      json: { patch: { $set: fields } },
      effect: 'once',
    })
  },
})
