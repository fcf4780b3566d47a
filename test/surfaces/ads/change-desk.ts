import { type AdsDesk, openAdsDesk } from '../../kit/ads.ts'
import { adminOf } from '../../kit/app.ts'
import type { AdsAccount } from '../../kit/google-ads-rows.ts'

/** A desk of Google's ads that plans and applies in the name of an admin whose access does not end. */
export async function openChangeDesk() {
  const desk = await openAdsDesk()
  return { ...desk, ...changesOf(desk), [Symbol.asyncDispose]: () => desk[Symbol.asyncDispose]() }
}
export type ChangeDesk = Awaited<ReturnType<typeof openChangeDesk>>

function changesOf(desk: AdsDesk) {
  const admin = desk.app.copydesk.as(adminOf(desk.team))
  const show = (set: { id: string; campaignId: string }) =>
    admin.call('tenant.campaigns.change_set', {
      params: { campaignId: set.campaignId, changeSetId: set.id },
    })
  const takeOverAll = async (ids: readonly string[]): Promise<string[]> => {
    const all = await admin.call('tenant.campaigns.import_all', {
      body: {
        connectedChannelId: desk.channelId,
        platform: 'search_ads',
        campaigns: ids.map((id) => ({ externalCampaignId: id, name: `Ours ${id}` })),
      },
    })
    await desk.settled()
    return all.map(({ id }) => id)
  }
  const approve = (set: { id: string; digest: string; campaignId: string }) =>
    admin.call('tenant.campaigns.approve_set', {
      params: { campaignId: set.campaignId, changeSetId: set.id },
      body: { digest: set.digest },
    })
  return {
    admin,
    show,
    approve,
    /** What the platform has. */
    account: () => desk.google.accounts.get('2222222222') as AdsAccount,
    takeOverAll,
    /** Takes a campaign over by the platform's id. @returns its id here */
    takeOver: async (externalCampaignId: string) => (await takeOverAll([externalCampaignId]))[0] ?? '',
    async syncKeywords(campaignId: string): Promise<Map<string, string>> {
      const params = { campaignId }
      await admin.call('tenant.campaigns.sync_keywords', { params })
      await desk.settled()
      const { data } = await admin.call('tenant.campaigns.keywords', { params })
      return new Map(data.map(({ text, id }) => [text, id]))
    },
    plan: (campaignId: string, ...changes: object[]) =>
      admin.call('tenant.campaigns.plan_change_set', {
        params: { campaignId },
        body: { changes } as never,
      }),
    /** Approves a plan and waits for its end. @returns what has become of it */
    async apply(set: { id: string; digest: string; campaignId: string }) {
      await approve(set)
      await desk.settled()
      return show(set)
    },
  }
}

/** Adds a campaign with a budget of its own to an account. @param campaign `id`, which the budget has too */
export function addAdsCampaign(
  { budgets, campaigns }: AdsAccount,
  { id, euros, status }: { id: string; euros: number; status: 'ENABLED' | 'PAUSED' },
): void {
  budgets.set(id, { amountMicros: BigInt(euros * 1_000_000), shared: false })
  campaigns.set(id, { id, name: `Campaign ${id}`, status, budget: id })
}

export const bakeryThere = '9007199254740993'
export const budgetChange = (euros: number) => ({
  kind: 'daily_budget',
  dailyBudgetMicros: Math.round(euros * 1_000_000),
})
export const statusChange = (status: 'enabled' | 'paused') => ({ kind: 'campaign_status', status })
