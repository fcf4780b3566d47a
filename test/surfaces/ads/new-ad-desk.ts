import { approvedCopy } from '../../kit/ad-copy.ts'
import { openAdsDesk } from '../../kit/ads.ts'
import { adminOf } from '../../kit/app.ts'
import type { AdsAccount } from '../../kit/google-ads-rows.ts'

export const finalUrl = 'https://oats.example/rye'

/** A campaign at Google Ads with an ad group, and approved ad copy. */
export async function openNewAdDesk() {
  const desk = await openAdsDesk()
  // Whose access does not end, however much time passes.
  const admin = desk.app.copydesk.as(adminOf(desk.team))
  const params = { campaignId: await desk.imported() }
  await admin.call('tenant.campaigns.sync_keywords', { params })
  await desk.settled()
  const adGroupId = (await admin.call('tenant.campaigns.ad_groups', { params })).data[0]?.id ?? ''
  const activityId = await approvedCopy(desk, params)
  const account = () => desk.google.accounts.get('2222222222') as AdsAccount
  const show = ({ id }: { id: string }) =>
    admin.call('tenant.campaigns.change_set', { params: { ...params, changeSetId: id } })
  return {
    desk,
    admin,
    params,
    adGroupId,
    activityId,
    account,
    /** The ads that there are, and not those that were removed. */
    ads: () => [...account().ads.values()].filter(({ status }) => status !== 'REMOVED'),
    plan: (...changes: object[]) =>
      admin.call('tenant.campaigns.plan_change_set', { params, body: { changes } as never }),
    refused: (change: object) =>
      desk.team.member.call('tenant', 'POST /campaigns/:campaignId/change-sets', {
        params,
        body: { changes: [change] } as never,
      }),
    newAd: (more: object = {}) => ({ kind: 'add_ad', activityId, adGroupId, finalUrl, ...more }),
    async apply(set: { id: string; digest: string }) {
      const at = { ...params, changeSetId: set.id }
      await admin.call('tenant.campaigns.approve_set', { params: at, body: { digest: set.digest } })
      await desk.settled()
      return show(set)
    },
    /** Takes all ads away that the tests before have made. */
    clear() {
      account().ads.clear()
      account().enabled.splice(0)
      desk.google.done.clear()
    },
    [Symbol.asyncDispose]: () => desk[Symbol.asyncDispose](),
  }
}
