import type { AdPlatform } from '../../platform.ts'
import { smallestUnit } from '../values.ts'
import { readCampaign, readCampaigns, readDays } from './campaigns.ts'
import { changes } from './changes.ts'
import { readAdEvents } from './events.ts'
import { readKeywords, readTerms } from './keywords.ts'
import { readPages } from './pages.ts'
import { googleAdsRules } from './wire.ts'

/** Google Ads, by its REST interface. */
export const googleAds: AdPlatform = {
  name: 'search_ads',
  channel: 'search_ads',
  rules: googleAdsRules,
  budgetUnit: smallestUnit,
  words: { enabled: 'ENABLED', paused: 'PAUSED' },
  campaigns: readCampaigns,
  campaign: readCampaign,
  days: readDays,
  events: readAdEvents,
  changes,
  search: { keywords: readKeywords, terms: readTerms, pages: readPages },
}
