import type { Transaction } from '../../../../kernel/context.ts'
import { type ChannelType, channelTypes } from '../../../accounts/channels/entities.ts'
import type { ActivityRow } from '../../../work/activities/entities.ts'
import { Approval } from '../../../work/approvals/entities.ts'
import { Campaign, Deliverable, type DeliverableType } from '../../../work/campaigns/entities.ts'
import type { OutputRow } from '../../../work/content/entities.ts'
import { outgoingTypes } from '../../../work/content/publishing-port.ts'
import { requestedPlace } from '../../../work/content/requests/complete.ts'

/** Where a piece is to go out, and when. */
export interface PlaceWish {
  /** Types of channels, or one channel by its id. */
  places: readonly ChannelType[] | { channelId: string }
  /** Null is the next free slot. */
  at: Date | null
}

/** Where a piece goes whose campaign names no place. */
const usualPlaces: Partial<Record<DeliverableType, ChannelType>> = {
  blog_post: 'cms_site',
  gbp_post: 'business_profile',
}

/**
 * What people have decided about a piece: anyone who asked for it has named the place, or the verdict was on a channel action. A
 * verdict on the text alone is no order to publish it.
 */
export async function wishOf(
  txn: Transaction,
  activity: ActivityRow,
  output: OutputRow,
): Promise<PlaceWish | undefined> {
  if (!activity.isFinalStep || !outgoingTypes.has(activity.deliverableType)) return undefined
  const asked = await requestedPlace(txn, activity)
  if (asked?.platform) return { places: [asked.platform], at: asked.scheduleFor }
  if (asked?.channelId) return { places: { channelId: asked.channelId }, at: asked.scheduleFor }
  const verdict = await txn.em.findOne(Approval, {
    contentOf: activity.id,
    contentHash: output.sha256,
    status: 'approved',
    type: 'channel_action',
  })
  if (!verdict) return undefined
  const chosen = channelTypes.filter((type) => type === verdict.selectedOption)
  const places = chosen.length > 0 ? chosen : await placesOf(txn, activity)
  return { places, at: null }
}

/** Where the pieces of a promise, or else of a campaign, go. */
async function placesOf(
  txn: Transaction,
  { deliverableId, campaignId, deliverableType }: ActivityRow,
): Promise<ChannelType[]> {
  const promise = deliverableId ? await txn.em.findOne(Deliverable, { id: deliverableId }) : null
  const campaign = campaignId ? await txn.em.findOne(Campaign, { id: campaignId }) : null
  for (const names of [promise?.platformIds, campaign?.channels]) {
    const known = channelTypes.filter((type) => names?.includes(type))
    if (known.length > 0) return known
  }
  const usual = deliverableType && usualPlaces[deliverableType]
  return usual ? [usual] : []
}
