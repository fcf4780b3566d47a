import type { Role } from '../../../../kernel/context.ts'
import { DomainError } from '../../../../kernel/errors.ts'
import type { CampaignStatus, CampaignType, DeliverableType } from '../entities.ts'

export const primaryMetrics = [
  'pieces_finished',
  'conversions',
  'click_rate',
  'reviews_received',
  'engagements',
  'organic_clicks',
  'links_won',
] as const
export type PrimaryMetric = (typeof primaryMetrics)[number]

/** What campaigns of a type are measured by. */
export const metricOf: Readonly<Record<CampaignType, PrimaryMetric>> = {
  content_marketing: 'pieces_finished',
  paid_ads: 'conversions',
  email_marketing: 'click_rate',
  review_generation: 'reviews_received',
  social_media: 'engagements',
  seo: 'organic_clicks',
  backlink_outreach: 'links_won',
}

/** What a campaign of a type is made of first. */
const firstContents: Readonly<Record<CampaignType, DeliverableType>> = {
  content_marketing: 'blog_post',
  paid_ads: 'ad_copy',
  email_marketing: 'email_newsletter',
  review_generation: 'email_newsletter',
  social_media: 'social_post',
  seo: 'blog_post',
  backlink_outreach: 'backlink',
}

export const firstContent = (type: CampaignType): DeliverableType => firstContents[type]

/**
 * Who may set which status by hand: an admin any, a member any but from and to `archived`, a reviewer sends back what waits
 * for the client. What the client has approved is said by the client alone.
 * @throws DomainError `FORBIDDEN`; `UNPROCESSABLE` for `client_approved`, which only the client's approval reaches
 */
export function requireMove(role: Role | undefined, from: CampaignStatus, to: CampaignStatus): void {
  if (role === 'reviewer') {
    if (from === 'client_review' && to === 'dm_review') return
    throw new DomainError('FORBIDDEN', 'A reviewer may only send a campaign from client_review to dm_review')
  }
  if (to === 'client_approved' && from !== to)
    throw new DomainError('UNPROCESSABLE', 'Only the approval of the client makes it client_approved', {
      field: 'status',
    })
  if (role === 'member' && (from === 'archived' || to === 'archived'))
    throw new DomainError('FORBIDDEN', 'Only an admin archives a campaign, or takes it out of the archive')
}
