import type { Principal } from '../../../kernel/context.ts'
import type { RiskLevel } from '../../work/approvals/entities.ts'
import type { CampaignStatus } from '../../work/campaigns/entities.ts'
import { type FeedAction, type FeedKind, feedKinds } from './schemas.ts'

const dayMs = 86_400_000

/** What does not say itself that it is over, such as a failure, is shown so long; milliseconds. */
export const retentionMs = 30 * dayMs

/** The longest time for which something can be snoozed; milliseconds. */
export const longestSnoozeMs = 30 * dayMs

/** The ranks of the feed, the most urgent first. Each is one source of items with an order of its own. */
export const ranks = [
  'high_risk',
  'expiring',
  'blocked',
  'failed',
  'budget',
  'mention',
  'campaign',
  'medium_risk',
  'low_risk',
] as const
export type Rank = (typeof ranks)[number]

export const kindOf: Record<Rank, FeedKind> = {
  high_risk: 'approval',
  expiring: 'approval',
  blocked: 'blocked',
  failed: 'failed',
  budget: 'budget',
  mention: 'mention',
  campaign: 'campaign',
  medium_risk: 'approval',
  low_risk: 'approval',
}

/** Members are shown what they can help with; who decides, configures and pays is shown everything. */
export function kindsFor({ role }: Principal): readonly FeedKind[] {
  return role === 'member' ? ['blocked', 'mention', 'campaign'] : feedKinds
}

export interface Facts {
  kind: FeedKind
  riskLevel: RiskLevel | null
  /** Of the campaign that an activity belongs to. */
  campaignStatus: string | null
  subjectKind: string
}

/** The status of campaigns that wait for someone: the team reviews first, then the client, for whom reviewers speak. */
export function waitingFor({ role }: Principal): CampaignStatus | undefined {
  if (role === 'reviewer') return 'client_review'
  return role === 'admin' || role === 'member' ? 'dm_review' : undefined
}

/** What someone can do about an item. */
export function actionsFor(
  actor: Principal,
  { kind, riskLevel, campaignStatus, subjectKind }: Facts,
): FeedAction[] {
  const decides = actor.role !== 'member'
  const actions: FeedAction[] = []
  if (kind === 'approval') actions.push('resolve')
  if ((kind === 'blocked' || kind === 'failed') && decides && campaignStatus !== 'paused')
    actions.push('retry')
  if (kind === 'blocked' || kind === 'mention') actions.push('comment')
  // The cap of a tenant is the operators' to change.
  if (kind === 'budget' && subjectKind === 'campaign' && actor.role === 'admin') actions.push('change_budget')
  if (kind === 'campaign') actions.push('change_status')
  actions.push('snooze')
  if (isDismissable({ riskLevel })) actions.push('dismiss')
  return actions
}

/** What is risky is never put out of sight for good before it is decided. */
export function isDismissable({ riskLevel }: Pick<Facts, 'riskLevel'>): boolean {
  return riskLevel !== 'high'
}
