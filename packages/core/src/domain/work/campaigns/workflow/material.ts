import type { StructuredBrief } from '@copydesk/writer'
import type { Transaction } from '../../../../kernel/context.ts'
import { toUsd } from '../../../../kernel/money.ts'
import type { ActivityRow } from '../../activities/entities.ts'
import type { Brand } from '../../brand/entities.ts'
import type { CampaignRow } from '../change.ts'
import type { ReviewOrder } from './content-schemas.ts'
import { CampaignOrder, type OrderRow } from './entities.ts'

/** What someone has asked for with an activity, beside what campaigns plan; null for all others. */
export async function orderOf(txn: Transaction, activity: ActivityRow): Promise<OrderRow | null> {
  // Only what was asked for may run before its campaign does.
  return activity.beforeStart ? txn.em.findOne(CampaignOrder, { activityId: activity.id }) : null
}

/** Gives what was asked for to the activity that takes the place of another. */
export async function handOverOrder(txn: Transaction, activity: ActivityRow, to: string): Promise<void> {
  const order = await orderOf(txn, activity)
  if (order) txn.em.create(CampaignOrder, { ...dataOf(order), activityId: to, createdOn: txn.clock.date() })
}

const dataOf = ({ tenantId, campaignId, kind, input }: OrderRow) => ({ tenantId, campaignId, kind, input })

/** An order as data, for agents that compose instead of reading a prompt. */
export function materialOf(
  { kind, input }: OrderRow,
  campaign: CampaignRow,
  brand: Brand | null,
): Partial<StructuredBrief> {
  if (kind === 'content') return contentOf(input)
  if (kind === 'review') return reviewsOf(input, brand)
  const described =
    typeof input['targetAudienceDescription'] === 'string' ? input['targetAudienceDescription'] : ''
  const audience = described || brand?.audiences[0]?.name
  const company = brand?.company.name
  return {
    preparation: kind === 'brief' ? 'campaign_brief' : 'audience',
    terms: settledOf(campaign),
    ...(kind === 'audience' && brand && { audiences: brand.audiences }),
    ...(kind === 'brief' && audience && { audience }),
    ...(company && { company }),
    ...(brand?.company.description.trim() && { about: brand.company.description.trim() }),
    ...(brand &&
      brand.products.length > 0 && {
        products: brand.products.map(({ name, description }) => ({
          name,
          facts: description.trim() ? [description.trim()] : [],
        })),
      }),
    ...(brand?.voice.trim() && { voice: brand.voice.trim() }),
    ...(brand && brand.bannedPhrases.length > 0 && { bannedPhrases: brand.bannedPhrases }),
    ...(campaign.goal && { goal: campaign.goal }),
  }
}

function reviewsOf(input: Record<string, unknown>, brand: Brand | null): Partial<StructuredBrief> {
  const { reviewPlatform, reviewUrl, tone, stepCount, channel } = input as ReviewOrder
  return {
    preparation: 'review_requests',
    reviews: { platform: reviewPlatform, url: reviewUrl, tone, mails: stepCount, channel },
    ...(brand?.company.name && { company: brand.company.name }),
    ...(brand && brand.bannedPhrases.length > 0 && { bannedPhrases: brand.bannedPhrases }),
  }
}

function contentOf(input: Record<string, unknown>): Partial<StructuredBrief> {
  const first = (...names: string[]) =>
    names.map((name) => input[name]).find((value) => typeof value === 'string' && value.trim())
  const topic = first('topic', 'subject', 'title', 'angle') as string | undefined
  const keyword = first('targetKeyword', 'keyword') as string | undefined
  return { ...(topic && { topic: topic.trim() }), ...(keyword && { keyword: keyword.trim() }) }
}

/** What is settled about a campaign, one statement each. */
export function settledOf(campaign: CampaignRow): string[] {
  const { type, channels, budgetMicros, budgetCurrency, startDate, endDate } = campaign
  const days = [startDate && `from ${startDate}`, endDate && `until ${endDate}`].filter(Boolean).join(' ')
  return [
    `The campaign is of the type ${type.replaceAll('_', ' ')}`,
    channels &&
      channels.length > 0 &&
      `It runs on ${channels.map((one) => one.replaceAll('_', ' ')).join(', ')}`,
    days && `It runs ${days}`,
    budgetMicros !== null && `Its budget is ${toUsd(budgetMicros)} ${budgetCurrency}`,
  ].filter((term): term is string => typeof term === 'string' && term !== '')
}
