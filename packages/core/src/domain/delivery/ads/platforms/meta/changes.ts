import { z } from 'zod'
import type { PlatformCall } from '../../../../accounts/channels/platform-call.ts'
import { graphUrl } from '../../../publishing/connectors/meta/graph.ts'
import { requestAs } from '../../../publishing/connectors/requests.ts'
import type { CampaignAddress } from '../../platform.ts'
import { campaignChanges, stepObstacle } from '../campaign-changes.ts'
import { metaCampaign, metaDailySpend, metaId } from './campaigns.ts'
import { unitOf } from './money.ts'

/** Its words for what we call enabled and paused. */
export const metaWords = { enabled: 'ACTIVE', paused: 'PAUSED' } as const

const Done = z.object({ success: z.literal(true) })

async function send(
  call: PlatformCall,
  { campaignId }: CampaignAddress,
  json: object,
  effect: 'read' | 'once',
): Promise<void> {
  await requestAs(call, { method: 'POST', url: graphUrl(call, metaId(campaignId)), json, effect }, Done)
}

export const metaChanges = campaignChanges({
  words: metaWords,
  campaign: metaCampaign,
  dailySpend: metaDailySpend,
  budgetField(micros, currency) {
    const unit = unitOf(currency)
    if (unit === undefined) return 'It is not known how the platform counts this currency'
    return stepObstacle(micros, unit) ?? { daily_budget: micros / unit }
  },
  update: (call, at, fields) => send(call, at, fields, 'once'),
  tryOut: (call, at, fields) => send(call, at, { ...fields, execution_options: ['validate_only'] }, 'read'),
})
