import { metaRules } from '../../../publishing/connectors/meta/graph.ts'
import type { AdPlatform } from '../../platform.ts'
import { metaCampaign, metaCampaigns } from './campaigns.ts'
import { metaChanges, metaWords } from './changes.ts'
import { metaDays } from './days.ts'
import { metaEvents } from './events.ts'
import { unitOf } from './money.ts'

/** Meta's Marketing API: ads at Facebook and Instagram. It has no keywords. */
export const metaAds: AdPlatform = {
  name: 'social_ads',
  channel: 'social_ads',
  rules: metaRules,
  budgetUnit: unitOf,
  words: metaWords,
  campaigns: metaCampaigns,
  campaign: metaCampaign,
  days: metaDays,
  events: metaEvents,
  changes: metaChanges,
}
