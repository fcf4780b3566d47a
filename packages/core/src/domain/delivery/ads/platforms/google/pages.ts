import { z } from 'zod'
import type { PlatformPage, SearchAds } from '../../platform.ts'
import { count64, digits } from './campaigns.ts'
import { id64, search } from './wire.ts'

const AdRow = z.object({
  adGroupAd: z.object({ ad: z.object({ id: id64, finalUrls: z.array(z.string().max(4_096)).default([]) }) }),
})
const CostRow = z.object({
  adGroupAd: z.object({ ad: z.object({ id: id64 }) }),
  metrics: z.object({ costMicros: count64 }),
})

/** Addresses and figures are asked for apart: with figures, ads that were not shown would be left out. */
export const readPages: SearchAds['pages'] = async (call, { account, campaignId }, { from, to }) => {
  const only = `campaign.id = ${digits(campaignId)} AND ad_group.status = 'ENABLED' AND ad_group_ad.status = 'ENABLED'`
  const ads = await search(
    call,
    account,
    `SELECT ad_group_ad.ad.id, ad_group_ad.ad.final_urls FROM ad_group_ad WHERE ${only}`,
    AdRow,
  )
  const costs = await search(
    call,
    account,
    `SELECT ad_group_ad.ad.id, metrics.cost_micros FROM ad_group_ad WHERE ${only} AND segments.date BETWEEN '${from}' AND '${to}'`,
    CostRow,
  )
  const spent = new Map<string, number>()
  for (const { adGroupAd, metrics } of costs)
    spent.set(adGroupAd.ad.id, (spent.get(adGroupAd.ad.id) ?? 0) + metrics.costMicros)
  return ads.flatMap(({ adGroupAd: { ad } }): PlatformPage[] =>
    ad.finalUrls.map((url) => ({ url, costMicros: spent.get(ad.id) ?? 0 })),
  )
}
