import { Refused } from './google-ads-refused.ts'
import type { AdsAccount, SearchAd, TextAsset } from './google-ads-rows.ts'

type Fields = Record<string, unknown>

/** What Google takes of an ad for searches. */
const lists = {
  headlines: { least: 3, most: 15, width: 30 },
  descriptions: { least: 2, most: 4, width: 90 },
} as const
/** How many ads that do not run an ad group holds, and how many that do. */
const mostAds = 50
const mostEnabled = 3

/** What advertising policies have something against. */
const topics = [
  [/casino/i, 'GAMBLING'],
  [/!!/, 'PUNCTUATION'],
] as const

/** Letters of Chinese, Japanese and Korean count as two. */
const widthOf = (text: string) =>
  text.replace(/[\u1100-\u11ff\u2e80-\ua4cf\uac00-\ud7af\uf900-\ufaff\uff01-\uff60]/g, '  ').length

/** Makes an ad for searches in an ad group. @returns the tail of its resource name @throws Refused */
export function createAd(account: AdsAccount, create: Fields, newId: () => string): string {
  const of = String(create['adGroup']).split('/').at(-1) ?? ''
  const group = account.adGroups.get(of)
  if (!group) throw new Refused('mutateError', 'RESOURCE_NOT_FOUND', 'Resource was not found.')
  if (group.status === 'REMOVED')
    throw new Refused('adGroupAdError', 'CANNOT_OPERATE_ON_REMOVED_ADGROUPAD', 'The ad group is removed.')
  const ad = create['ad'] as Fields
  const status = String(create['status'] ?? 'ENABLED')
  const others = [...account.ads.values()].filter((one) => one.of === of && one.status !== 'REMOVED')
  const isFull = others.length >= mostAds
  if (isFull || (status === 'ENABLED' && others.filter((one) => one.status === status).length >= mostEnabled))
    throw new Refused('resourceCountLimitExceededError', 'AD_GROUP_AD_LIMIT', 'Too many ads.')
  const finalUrls = (ad['finalUrls'] ?? []) as string[]
  if (finalUrls.length !== 1 || !URL.canParse(finalUrls[0] ?? ''))
    throw new Refused('adError', 'INVALID_INPUT', 'The final URL is missing or wrong.')
  const texts = ad['responsiveSearchAd'] as Fields
  const take = (name: keyof typeof lists) => checked(name, (texts[name] ?? []) as TextAsset[])
  const made: SearchAd = {
    id: newId(),
    of,
    status,
    finalUrls,
    headlines: take('headlines'),
    descriptions: take('descriptions'),
    impressions: 0,
  }
  account.ads.set(`${of}~${made.id}`, made)
  return `${of}~${made.id}`
}

function checked(name: keyof typeof lists, assets: TextAsset[]): TextAsset[] {
  const { least, most, width } = lists[name]
  const path = (index: number) => [{ fieldName: name, index }, { fieldName: 'text' }]
  if (assets.length < least) throw new Refused('collectionSizeError', 'TOO_FEW', 'Too few.')
  if (assets.length > most) throw new Refused('collectionSizeError', 'TOO_MANY', 'Too many.')
  for (const [index, { text }] of assets.entries()) {
    if (widthOf(text) > width)
      throw new Refused('adError', 'LINE_TOO_WIDE', 'Too wide.', { path: path(index) })
    if (assets.findIndex((other) => other.text === text) !== index)
      throw new Refused('distinctError', 'DUPLICATE_ELEMENT', 'Twice the same.', { path: path(index) })
    const topic = topics.find(([words]) => words.test(text))?.[1]
    if (topic === undefined) continue
    const policyTopicEntries = [{ topic, type: 'PROHIBITED' }]
    throw new Refused('policyFindingError', 'POLICY_FINDING', 'A policy was violated.', {
      path: path(index),
      details: { policyFindingDetails: { policyTopicEntries } },
    })
  }
  // Google keeps texts, and not their order.
  return assets.toReversed()
}

/** Removes an ad: it is kept, without ever running again. @throws Refused */
export function removeAd(account: AdsAccount, id: string): void {
  const ad = account.ads.get(id)
  if (!ad || ad.status === 'REMOVED')
    throw new Refused('adGroupAdError', 'CANNOT_OPERATE_ON_REMOVED_ADGROUPAD', 'It is removed already.')
  ad.status = 'REMOVED'
}
