import { approvedCopy } from '../kit/ad-copy.ts'
import type { AdsDesk } from '../kit/ads.ts'
import { Refused } from '../kit/google-ads-refused.ts'
import { adsAccount } from '../kit/google-ads-server.ts'
import { createAd, removeAd } from '../kit/google-ads-texts.ts'

/** What the server answers to ads that Google would not take, one for each reason. */
export function refusedAds(): Refused[] {
  const account = adsAccount('1')
  account.adGroups.set('1', { id: '1', campaign: '1', name: 'A', status: 'ENABLED', bidMicros: 1n })
  account.adGroups.set('2', { id: '2', campaign: '1', name: 'B', status: 'REMOVED', bidMicros: 1n })
  const texts = (...all: string[]) => all.map((text) => ({ text }))
  const good = { headlines: texts('a', 'b', 'c'), descriptions: texts('d', 'e') }
  const ad = (responsiveSearchAd: object, more: object = {}) => ({
    adGroup: 'customers/1/adGroups/1',
    ad: { finalUrls: ['https://oats.example/'], responsiveSearchAd, ...more },
  })
  let id = 0
  const make = (body: Record<string, unknown>) => createAd(account, body, () => String((id += 1)))
  make(ad(good))
  const refusals = [
    ad({ ...good, headlines: texts('a', 'b') }),
    ad({ ...good, descriptions: texts('a', 'b', 'c', 'd', 'e') }),
    ad({ ...good, headlines: texts('a', 'b', 'x'.repeat(31)) }),
    ad({ ...good, headlines: texts('a', 'b', 'b') }),
    ad({ ...good, headlines: texts('a', 'b', 'Casino') }),
    ad(good, { finalUrls: [] }),
    { ...ad(good), adGroup: 'customers/1/adGroups/2' },
    { ...ad(good), adGroup: 'customers/1/adGroups/3' },
  ].map((body) => refusedBy(() => make(body)))
  for (let n = 1; n < 50; n += 1) make({ ...ad(good), status: 'PAUSED' })
  refusals.push(
    refusedBy(() => make({ ...ad(good), status: 'PAUSED' })),
    refusedBy(() => removeAd(account, '1~99')),
  )
  return refusals
}

function refusedBy(work: () => unknown): Refused {
  try {
    work()
  } catch (error) {
    if (error instanceof Refused) return error
    throw error
  }
  throw new Error('It was not refused')
}

/** One change of each kind, and everything that is read. */
export async function changeEverything(desk: AdsDesk) {
  const { team, imported, settled } = desk
  const params = { campaignId: await imported() }
  const { member } = team
  const activityId = await approvedCopy(desk, params)
  await member.call('tenant', 'POST /campaigns/:campaignId/keywords/sync', { params })
  await settled()
  const span = { from: '2026-03-20', to: '2026-04-01' }
  await member.call('tenant', 'POST /campaigns/:campaignId/search-terms/sync', { params, body: span })
  await settled()
  const { data } = await member.call('tenant', 'GET /campaigns/:campaignId/keywords', { params })
  const keyword = { ...params, keywordId: data[0]?.id ?? '' }
  const change = (body: object) =>
    member.call('tenant', 'PATCH /campaigns/:campaignId/keywords/:keywordId', { params: keyword, body })
  await change({ bidMicros: 1_100_000 })
  await change({ status: 'paused' })
  const negative = await member.call('tenant', 'POST /campaigns/:campaignId/negative-keywords', {
    params,
    body: { keyword: 'cheap', matchType: 'broad' },
  })
  await member.call('tenant', 'DELETE /campaigns/:campaignId/negative-keywords/:negativeKeywordId', {
    params: { ...params, negativeKeywordId: negative.id },
  })
  const groups = await member.call('tenant', 'GET /campaigns/:campaignId/ad-groups', { params })
  const set = await member.call('tenant', 'POST /campaigns/:campaignId/change-sets', {
    params,
    body: {
      changes: [
        { kind: 'daily_budget', dailyBudgetMicros: 25_000_000 },
        { kind: 'campaign_status', status: 'paused' },
        {
          kind: 'add_ad',
          activityId,
          adGroupId: groups.data[0]?.id ?? '',
          finalUrl: 'https://oats.example/rye',
        },
      ],
    },
  })
  const approve = async ({ id: changeSetId, digest }: { id: string; digest: string }) => {
    await team.admin.call('tenant', 'POST /campaigns/:campaignId/change-sets/:changeSetId/approve', {
      params: { ...params, changeSetId },
      body: { digest },
    })
    await settled()
  }
  await approve(set)
  const undo = 'POST /campaigns/:campaignId/change-sets/:changeSetId/undo'
  await approve(await member.call('tenant', undo, { params: { ...params, changeSetId: set.id } }))
}
