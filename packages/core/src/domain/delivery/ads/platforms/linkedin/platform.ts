import { linkedinRules } from '../../../publishing/connectors/linkedin/rest.ts'
import type { AdPlatform } from '../../platform.ts'
import { smallestUnit } from '../values.ts'
import { linkedinCampaign, linkedinCampaigns } from './campaigns.ts'
import { linkedinChanges, linkedinWords } from './changes.ts'
import { linkedinDays } from './days.ts'

/** LinkedIn's advertising API. It has no keywords, and opens with the consent of the professional network, where that includes ads. */
export const linkedinAds: AdPlatform = {
  name: 'professional_ads',
  channel: 'professional_network',
  rules: linkedinRules,
  budgetUnit: smallestUnit,
  words: linkedinWords,
  campaigns: linkedinCampaigns,
  campaign: linkedinCampaign,
  days: linkedinDays,
  changes: linkedinChanges,
}
