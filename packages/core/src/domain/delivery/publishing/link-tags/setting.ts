import type { Ctx, Transaction } from '../../../../kernel/context.ts'
import { oneTenant } from '../../../../kernel/scope.ts'
import { transact } from '../../../../kernel/transact.ts'
import type { ChannelType } from '../../../accounts/channels/entities.ts'
import { Campaign } from '../../../work/campaigns/entities.ts'
import { slugOf } from '../../../work/content/blog/markdown.ts'
import { LinkTagging } from './entities.ts'
import type { LinkTagsSetting, LinkTagsView } from './schemas.ts'
import type { LinkTags } from './tags.ts'

/** Links to which websites say where a reader comes from. Serves `GET /dashboard/v1/publications/link-tags`. */
export function getLinkTags(ctx: Ctx): Promise<LinkTagsView> {
  return transact(ctx, async (txn) => ({ hosts: await ownHosts(txn, oneTenant(txn)) }))
}

/** Sets them; what is planned already goes out as it was planned. Serves `PUT /dashboard/v1/publications/link-tags`. */
export function setLinkTags(ctx: Ctx, { hosts }: LinkTagsSetting): Promise<LinkTagsView> {
  return transact(ctx, async (txn) => {
    const tenantId = oneTenant(txn)
    const before = { hosts: await ownHosts(txn, tenantId) }
    const after = { hosts: [...new Set(hosts)].toSorted((a, b) => (a < b ? -1 : 1)) }
    await txn.em.upsert(LinkTagging, { tenantId, ...after, updatedOn: txn.clock.date() })
    txn.audit({ tenantId, resourceType: 'tenant', resourceId: tenantId, before, after })
    return after
  })
}

/** The tenant's own websites, as it has named them; none where it has not. */
export const ownHosts = async (txn: Transaction, tenantId: string): Promise<string[]> =>
  (await txn.em.findOne(LinkTagging, { tenantId }))?.hosts ?? []

/** As analytics call the places that readers come from. A website's links to itself are not tagged. */
const sources: Partial<Record<ChannelType | 'leads', { source: string; medium: string }>> = {
  professional_network: { source: 'linkedin', medium: 'social' },
  social_network_a: { source: 'facebook', medium: 'social' },
  photo_network: { source: 'instagram', medium: 'social' },
  short_video_network: { source: 'tiktok', medium: 'social' },
  microblog_a: { source: 'mastodon', medium: 'social' },
  microblog_b: { source: 'bluesky', medium: 'social' },
  business_profile: { source: 'google', medium: 'local' },
  email_platform_a: { source: 'newsletter', medium: 'email' },
  email_platform_b: { source: 'newsletter', medium: 'email' },
  leads: { source: 'newsletter', medium: 'email' },
}

type Piece = { tenantId: string; campaignId: string | null }

/**
 * What the links of a piece say of where their readers come from.
 * @param to the type of its channel; `leads` for a mailing
 * @returns null where they stay as they are written
 */
export const linkTagsFor = async (txn: Transaction, piece: Piece, to: ChannelType | 'leads') =>
  (await linkTagsOf(txn, piece))(to)

/** The same for any place that a piece may go to. */
export async function linkTagsOf(
  txn: Transaction,
  { tenantId, campaignId }: Piece,
): Promise<(to: ChannelType | 'leads') => LinkTags | null> {
  const hosts = await ownHosts(txn, tenantId)
  if (hosts.length === 0) return () => null
  const campaign = campaignId === null ? null : await txn.em.findOne(Campaign, { id: campaignId })
  return (to) => tagsFrom(hosts, sources[to], campaign?.name)
}

function tagsFrom(
  hosts: string[],
  place: { source: string; medium: string } | undefined,
  campaign: string | undefined,
): LinkTags | null {
  if (!place) return null
  const parameters = {
    utm_source: place.source,
    utm_medium: place.medium,
    ...(campaign !== undefined && { utm_campaign: slugOf(campaign) }),
  }
  return { hosts, query: new URLSearchParams(parameters).toString() }
}
