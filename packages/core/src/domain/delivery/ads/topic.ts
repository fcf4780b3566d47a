import type { Ctx } from '../../../kernel/context.ts'
import { transact } from '../../../kernel/transact.ts'
import { Campaign } from '../../work/campaigns/entities.ts'
import { topKeywords } from './keywords/queries.ts'

/** What a campaign is about, for a model that is asked about its ads. */
export interface AdTopic {
  tenantId: string
  name: string
  goal: string | null
  /** The texts of those that have cost the most. */
  keywords: readonly string[]
}

/** @returns undefined for a campaign that is gone */
export async function topicOf(ctx: Ctx, campaignId: string): Promise<AdTopic | undefined> {
  const campaign = await transact(ctx, (txn) => txn.em.findOne(Campaign, { id: campaignId }))
  if (!campaign) return undefined
  const { tenantId, name, goal } = campaign
  return { tenantId, name, goal, keywords: await topKeywords(ctx, campaignId) }
}
