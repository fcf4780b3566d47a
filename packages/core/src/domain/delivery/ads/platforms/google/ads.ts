import { z } from 'zod'
import type { PlatformCall } from '../../../../accounts/channels/platform-call.ts'
import { adStates, type ChangeItem, type PlannedAd } from '../../changes/entities.ts'
import type { CampaignAddress, LiveValue } from '../../platform.ts'
import { count64, digits } from './campaigns.ts'
import { id64, search } from './wire.ts'

const TextAsset = z.object({ text: z.string().default(''), pinnedField: z.string().default('UNSPECIFIED') })
const AdRow = z.object({
  adGroup: z.object({ id: id64 }),
  adGroupAd: z.object({
    status: z.string(),
    ad: z.object({
      id: id64,
      finalUrls: z.array(z.string()).default([]),
      finalMobileUrls: z.array(z.string()).default([]),
      trackingUrlTemplate: z.string().default(''),
      responsiveSearchAd: z
        .object({
          headlines: z.array(TextAsset).default([]),
          descriptions: z.array(TextAsset).default([]),
          path1: z.string().default(''),
          path2: z.string().default(''),
        })
        .optional(),
    }),
  }),
})
type Row = z.output<typeof AdRow>

const fields =
  'ad_group.id, ad_group_ad.status, ad_group_ad.ad.id, ad_group_ad.ad.final_urls, ad_group_ad.ad.final_mobile_urls, ad_group_ad.ad.tracking_url_template, ad_group_ad.ad.responsive_search_ad.headlines, ad_group_ad.ad.responsive_search_ad.descriptions, ad_group_ad.ad.responsive_search_ad.path1, ad_group_ad.ad.responsive_search_ad.path2'

/** What has become of the ad that each item makes or removes. @throws PlatformError */
export async function liveAds(
  call: PlatformCall,
  at: CampaignAddress,
  items: readonly ChangeItem[],
): Promise<Map<ChangeItem, LiveValue>> {
  const ads = items.filter(({ kind }) => kind === 'ad')
  if (ads.length === 0) return new Map()
  const groups = [...new Set(ads.map(({ groupId }) => digits(groupId ?? '')))]
  const inGroups = `campaign.id = ${digits(at.campaignId)} AND ad_group.id IN (${groups.join(', ')})`
  const query = `SELECT ${fields} FROM ad_group_ad WHERE ${inGroups} AND ad_group_ad.ad.type = 'RESPONSIVE_SEARCH_AD' AND ad_group_ad.status != 'REMOVED'`
  const rows = await search(call, at.account, query, AdRow)
  const isRemoval = ads.some(({ after }) => after === null)
  const haveRun = isRemoval ? await adsThatRan(call, at, inGroups) : undefined
  return new Map(
    ads.map((item): [ChangeItem, LiveValue] => {
      const row = rows.find((one) => isMeant(item, one))
      if (!row) return [item, { value: null }]
      const { id } = row.adGroupAd.ad
      return [item, { value: stateOf(row, item.ad, haveRun?.(id) ?? false), externalId: id }]
    }),
  )
}

/** By its id, and by all that it says where it has none yet. */
const isMeant = ({ groupId, externalId, ad }: ChangeItem, row: Row): boolean =>
  row.adGroup.id === groupId && (externalId === null ? isOf(row, ad) : row.adGroupAd.ad.id === externalId)

function stateOf(row: Row, ad: PlannedAd | undefined, hasRun: boolean): string {
  const { status } = row.adGroupAd
  if (!isOf(row, ad)) return adStates.changed
  if (status !== 'PAUSED') return adStates.enabled
  return hasRun ? adStates.ran : adStates.paused
}

/** Whether an ad says exactly this, and nothing beside. Google keeps no order of texts. */
function isOf({ adGroupAd: { ad } }: Row, planned: PlannedAd | undefined): boolean {
  const { responsiveSearchAd: there, finalUrls, finalMobileUrls, trackingUrlTemplate } = ad
  if (!there || !planned) return false
  const { headlines, descriptions, path1, path2 } = there
  const isPlain =
    [trackingUrlTemplate, path1, path2, ...finalMobileUrls].every((text) => text === '') &&
    [...headlines, ...descriptions].every(({ pinnedField }) => pinnedField === 'UNSPECIFIED')
  return (
    isPlain &&
    finalUrls.length === 1 &&
    finalUrls[0] === planned.finalUrl &&
    isSameList(headlines, planned.headlines) &&
    isSameList(descriptions, planned.descriptions)
  )
}

function isSameList(there: ReadonlyArray<{ text: string }>, ours: readonly string[]): boolean {
  const texts = there.map(({ text }) => text.normalize('NFC').replace(/\s+/g, ' ').trim())
  return JSON.stringify(texts.toSorted()) === JSON.stringify(ours.toSorted())
}

const ShownRow = z.object({
  adGroupAd: z.object({ ad: z.object({ id: id64 }) }),
  metrics: z.object({ impressions: count64 }),
})
const EventRow = z.object({
  changeEvent: z.object({
    changeResourceName: z.string().default(''),
    newResource: z.object({ adGroupAd: z.object({ status: z.string().optional() }).optional() }).optional(),
  }),
})

/** Google tells of the changes of thirty days of the account, and of so many; in every zone these are no older. */
const rememberedMs = 28 * 86_400_000
const mostEvents = 10_000

/** Which ads have run: those that were shown at any time, or enabled in the days that Google remembers. */
async function adsThatRan(
  call: PlatformCall,
  { account }: CampaignAddress,
  inGroups: string,
): Promise<(adId: string) => boolean> {
  const shown = await search(
    call,
    account,
    `SELECT ad_group_ad.ad.id, metrics.impressions FROM ad_group_ad WHERE ${inGroups} AND metrics.impressions > 0`,
    ShownRow,
  )
  const now = call.now().getTime()
  // A day ahead is later than now in every zone, and what was changed a while ago is of no zone's today.
  const [from, to] = [now - rememberedMs, now + 86_400_000].map((ms) =>
    new Date(ms).toISOString().slice(0, 10),
  )
  const events = await search(
    call,
    account,
    `SELECT change_event.change_date_time, change_event.change_resource_name, change_event.new_resource FROM change_event WHERE change_event.change_date_time >= '${from} 00:00:00' AND change_event.change_date_time <= '${to} 23:59:59' AND change_event.change_resource_type = 'AD_GROUP_AD' LIMIT ${mostEvents}`,
    EventRow,
  )
  const ran = new Set(shown.map(({ adGroupAd }) => adGroupAd.ad.id))
  for (const { changeEvent } of events)
    if (changeEvent.newResource?.adGroupAd?.status === 'ENABLED')
      ran.add(changeEvent.changeResourceName.split('~').at(-1) ?? '')
  // Where not all of them were told, none is known not to have run.
  return (adId) => events.length >= mostEvents || ran.has(adId)
}

/** How an ad is made, paused, or removed; there is no other status here that one could be given. */
export function adOperation({ account }: CampaignAddress, { groupId, externalId, ad, after }: ChangeItem) {
  const name = (kind: string, id: string) => `customers/${account.id}/${kind}/${id}`
  const adGroup = groupId ?? ''
  if (after === null)
    return { adGroupAdOperation: { remove: name('adGroupAds', `${adGroup}~${externalId ?? ''}`) } }
  const asset = (text: string) => ({ text })
  return {
    adGroupAdOperation: {
      create: {
        adGroup: name('adGroups', adGroup),
        status: 'PAUSED',
        ad: {
          finalUrls: ad ? [ad.finalUrl] : [],
          responsiveSearchAd: {
            headlines: ad?.headlines.map(asset) ?? [],
            descriptions: ad?.descriptions.map(asset) ?? [],
          },
        },
      },
    },
  }
}
