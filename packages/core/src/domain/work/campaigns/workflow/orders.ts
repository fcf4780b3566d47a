import type { Ctx, Transaction } from '../../../../kernel/context.ts'
import { DomainError, invalid } from '../../../../kernel/errors.ts'
import { transact } from '../../../../kernel/transact.ts'
import { effectiveAgent } from '../../../agents/configuration/effective-queries.ts'
import type { NewActivity } from '../../activities/open.ts'
import { openActivities } from '../../activities/open.ts'
import { lockOpenRun } from '../../runs/queue/wake.ts'
import { type CampaignRow, lockCampaign } from '../change.ts'
import type { DeliverableType } from '../entities.ts'
import { finalStep } from '../templates.ts'
import { contentItem } from './content-queries.ts'
import type { ContentOrder, ContentStarted, OrderStarted, ReviewOrder } from './content-schemas.ts'
import { CampaignOrder, type OrderKind } from './entities.ts'
import { openOrderId } from './order-queries.ts'
import { audiencePrompt, briefPrompt, contentPrompt, contentTitle, reviewPrompt } from './prompts.ts'

const briefWriter = 'brief_writer'
const reviewWriter = 'review_writer'
export const audienceAnalyst = 'audience_analyst'

/**
 * Has the brief writer write the brief. Once it is there, it stands in the campaign, which then waits for its review. Serves
 * `POST /tenant/v1/campaigns/:campaignId/generate-brief`.
 * @throws DomainError `NOT_FOUND`; `CONFLICT` while one is being written (`details.activityId`); `UNPROCESSABLE` when the
 *   campaign is past `dm_review`, and when the tenant has no brief writer
 */
export function generateBrief(
  ctx: Ctx,
  campaignId: string,
  { targetAudienceDescription }: { targetAudienceDescription: string },
): Promise<OrderStarted> {
  return transact(ctx, async (txn) => {
    const campaign = await lockCampaign(txn, campaignId)
    if (campaign.status !== 'draft' && campaign.status !== 'dm_review')
      throw new DomainError(
        'UNPROCESSABLE',
        `A brief is written in draft and dm_review; the campaign is ${campaign.status.replaceAll('_', ' ')}`,
        { details: { status: campaign.status } },
      )
    await requireNoneOpen(txn, campaign, 'brief')
    return place(
      txn,
      campaign,
      'brief',
      { targetAudienceDescription },
      {
        title: `Brief of “${campaign.name}”`,
        type: 'outline',
        agentRole: briefWriter,
        inputPrompt: briefPrompt(campaign, targetAudienceDescription),
      },
    )
  })
}

/**
 * Has the audience analyst find the groups of people that the campaign is for, which are kept as its segments. Serves
 * `POST /tenant/v1/campaigns/:campaignId/generate-audience`.
 * @throws DomainError `NOT_FOUND`; `CONFLICT` while they are being looked for (`details.activityId`); `UNPROCESSABLE` when the
 *   campaign is paused, over or archived, and when the tenant has no audience analyst
 */
export function generateAudience(ctx: Ctx, campaignId: string): Promise<OrderStarted> {
  return transact(ctx, async (txn) => {
    const campaign = await lockCampaign(txn, campaignId)
    requireOpen(campaign)
    await requireNoneOpen(txn, campaign, 'audience')
    return orderAudience(txn, campaign)
  })
}

/** Asks the audience analyst. The caller holds the campaign's lock. @throws DomainError `UNPROCESSABLE` when there is none */
export function orderAudience(txn: Transaction, campaign: CampaignRow): Promise<OrderStarted> {
  return place(
    txn,
    campaign,
    'audience',
    {},
    {
      title: `Audience of “${campaign.name}”`,
      type: 'research',
      agentRole: audienceAnalyst,
      inputPrompt: audiencePrompt(campaign),
    },
  )
}

/**
 * Has one piece made for a campaign, by the agent that makes pieces of its type; it is reviewed as any other. Serves
 * `POST /tenant/v1/campaigns/:campaignId/content`.
 * @throws DomainError `NOT_FOUND`; `UNPROCESSABLE` when the campaign is paused, over or archived, and when the tenant does not
 *   have the agent
 */
export async function createContent(
  ctx: Ctx,
  campaignId: string,
  order: ContentOrder,
): Promise<ContentStarted> {
  const { activityId, runId } = await transact(ctx, async (txn) => {
    const campaign = await lockCampaign(txn, campaignId)
    requireOpen(campaign)
    return orderContent(txn, campaign, order)
  })
  return { ...(await contentItem(ctx, campaignId, activityId)), runId }
}

/** The longest address in a text message, characters. */
const longestSmsUrl = 200

/**
 * Has the mails written that ask customers for a review. Once a person has approved them, they are the campaign's sequence of review
 * requests. Serves `POST /tenant/v1/campaigns/:campaignId/review-sequence`.
 * @throws DomainError `NOT_FOUND`; `CONFLICT` while they are being written (`details.activityId`); `UNPROCESSABLE` for a campaign of
 *   another type or one that is paused, over or archived, for `sms` without a provider of text messages, and when the tenant has no review writer
 */
export function generateReviews(ctx: Ctx, campaignId: string, order: ReviewOrder): Promise<OrderStarted> {
  return transact(ctx, async (txn) => {
    const campaign = await lockCampaign(txn, campaignId)
    requireOpen(campaign)
    if (campaign.type !== 'review_generation')
      throw new DomainError('UNPROCESSABLE', 'Only campaigns of the type review_generation ask for reviews')
    if (order.channel === 'sms' && !txn.services.sms)
      throw new DomainError('UNPROCESSABLE', 'No provider of text messages is configured: use email', {
        field: 'channel',
      })
    if (order.channel === 'sms' && order.reviewUrl.length > longestSmsUrl)
      throw invalid(
        'reviewUrl',
        `A text message has room for an address of at most ${longestSmsUrl} characters`,
      )
    await requireNoneOpen(txn, campaign, 'review')
    return place(
      txn,
      campaign,
      'review',
      { ...order },
      {
        title: `Review requests of “${campaign.name}”`,
        type: 'draft',
        agentRole: reviewWriter,
        inputPrompt: reviewPrompt(campaign, order),
        isFinalStep: true,
        approvalRequired: true,
        approvalType: 'content_review',
      },
    )
  })
}

/** Orders one piece. The caller holds the campaign's lock. @throws DomainError `UNPROCESSABLE` without the agent */
export async function orderContent(
  txn: Transaction,
  campaign: CampaignRow,
  {
    deliverableType,
    inputPayload,
  }: { deliverableType: DeliverableType; inputPayload: Record<string, unknown> },
): Promise<OrderStarted> {
  const step = await finalStep(txn, deliverableType)
  return place(
    txn,
    campaign,
    'content',
    { deliverableType, ...inputPayload },
    {
      title: contentTitle(deliverableType, inputPayload),
      type: step.type,
      deliverableType,
      isFinalStep: true,
      agentRole: step.agentRole,
      inputPrompt: contentPrompt(deliverableType, step, inputPayload),
      // No piece is done before people have seen it, whatever its template says.
      approvalRequired: true,
      approvalType: step.approvalType ?? 'content_review',
    },
  )
}

/** @throws DomainError `UNPROCESSABLE` when nothing more is made for a campaign */
export function requireOpen({ status }: Pick<CampaignRow, 'status'>): void {
  if (status === 'paused' || status === 'completed' || status === 'archived')
    throw new DomainError('UNPROCESSABLE', `The campaign is ${status}`, { details: { status } })
}

async function requireNoneOpen(txn: Transaction, campaign: CampaignRow, kind: OrderKind): Promise<void> {
  const activityId = await openOrderId(txn, campaign.id, kind)
  if (activityId === undefined) return
  throw new DomainError('CONFLICT', `The ${kind} is being worked on already`, {
    details: { reason: 'order_open', activityId },
  })
}

type Ordered = Omit<NewActivity, 'id' | 'tenantId' | 'campaignId' | 'beforeStart' | 'agentRole'> & {
  agentRole: string
}

async function place(
  txn: Transaction,
  campaign: CampaignRow,
  kind: OrderKind,
  input: Record<string, unknown>,
  activity: Ordered,
): Promise<OrderStarted> {
  const { id: campaignId, tenantId } = campaign
  await requireAgent(txn, tenantId, activity.agentRole)
  const activityId = txn.newId()
  txn.em.create(CampaignOrder, {
    activityId,
    tenantId,
    campaignId,
    kind,
    input,
    createdOn: txn.clock.date(),
  })
  await openActivities(txn, [{ ...activity, id: activityId, tenantId, campaignId, beforeStart: true }])
  await txn.em.flush()
  const run = await lockOpenRun(txn, activityId)
  if (!run) throw new Error('What was just given to an agent has no run')
  const { title, agentRole } = activity
  txn.audit({
    tenantId,
    resourceType: 'campaign',
    resourceId: campaignId,
    after: { ordered: kind, title, agentRole, activityId, runId: run.id },
  })
  return { activityId, runId: run.id, status: 'queued' }
}

/** Agents that came with a later version of Copydesk are given to a tenant when they are first asked for. */
async function requireAgent(txn: Transaction, tenantId: string, role: string): Promise<void> {
  if (await effectiveAgent(txn, tenantId, role)) return
  await txn.services.tenantAgents.provision(txn, tenantId)
  await txn.em.flush()
  if (await effectiveAgent(txn, tenantId, role)) return
  throw new DomainError('UNPROCESSABLE', `The agent role ${role} is not enabled for this tenant`)
}
