import type { Transaction } from '../../../../kernel/context.ts'
import { preview } from '../../../../kernel/text.ts'
import { effectiveAgent } from '../../../agents/configuration/effective-queries.ts'
import type { ActivityRow } from '../../activities/entities.ts'
import { logActivity } from '../../activities/state.ts'
import type { OutputRow } from '../../content/entities.ts'
import { auditedCampaign, type CampaignRow, lockCampaign, recordChange } from '../change.ts'
import { segmentsIn } from './audience-text.ts'
import { CampaignAudience, segmentTypes } from './entities.ts'
import { orderOf } from './material.ts'
import { audienceAnalyst, orderAudience } from './orders.ts'
import { moveCampaign } from './status.ts'

/** The longest brief that a campaign has, characters. */
const longestBrief = 100_000

/** Gives a campaign what its agents have made for it, in the transaction of their work's end. */
export async function adoptOrder(
  txn: Transaction,
  activity: ActivityRow,
  output: OutputRow | null,
): Promise<void> {
  const order = output && (await orderOf(txn, activity))
  // What is sent to people is taken from its verdict: see `takePiece`.
  if (!order || order.kind === 'content' || order.kind === 'review') return
  const campaign = await lockCampaign(txn, order.campaignId)
  if (order.kind === 'brief') await adoptBrief(txn, campaign, activity, output.text)
  else await adoptAudience(txn, campaign, activity, output.text)
}

/** People may have moved the campaign on meanwhile: a brief that comes then is kept with its activity only. */
async function adoptBrief(
  txn: Transaction,
  campaign: CampaignRow,
  activity: ActivityRow,
  text: string,
): Promise<void> {
  const { status } = campaign
  if (status !== 'draft' && status !== 'dm_review') return leave(txn, activity, `the campaign is ${status}`)
  const before = { ...auditedCampaign(campaign), brief: campaign.brief }
  campaign.brief = preview(text, longestBrief)
  recordChange(txn, campaign, before, { briefChanged: true, activityId: activity.id })
  if (status === 'draft') await moveCampaign(txn, campaign, 'dm_review')
  if (!campaign.autoPilotEnabled) return
  // What the team has written is not replaced by itself.
  if ((await txn.em.count(CampaignAudience, { campaignId: campaign.id })) > 0) return
  if (await effectiveAgent(txn, campaign.tenantId, audienceAnalyst)) await orderAudience(txn, campaign)
}

async function adoptAudience(
  txn: Transaction,
  campaign: CampaignRow,
  activity: ActivityRow,
  text: string,
): Promise<void> {
  const { id: campaignId, tenantId, status } = campaign
  if (status === 'archived') return leave(txn, activity, 'the campaign is archived')
  const found = segmentsIn(text)
  if (found.length === 0) return leave(txn, activity, 'it names no group in a section of its own')
  const former = await txn.em.find(CampaignAudience, { campaignId, source: 'agent' })
  for (const one of former) txn.em.remove(one)
  const now = txn.clock.date()
  const usual = campaign.type === 'paid_ads' ? 'platform_audience' : 'crm_segment'
  for (const { name, filters, segmentType, estimatedSize } of found)
    txn.em.create(CampaignAudience, {
      id: txn.newId(),
      tenantId,
      campaignId,
      name,
      segmentType: segmentTypes.find((one) => one === segmentType) ?? usual,
      filters,
      estimatedSize,
      platformAudienceId: null,
      source: 'agent',
      createdOn: now,
      updatedOn: now,
    })
  txn.audit({
    tenantId,
    resourceType: 'campaign',
    resourceId: campaignId,
    action: 'campaign.audience',
    before: { segments: former.map(({ name }) => name) },
    after: { segments: found.map(({ name }) => name), activityId: activity.id },
  })
}

function leave(txn: Transaction, activity: ActivityRow, why: string): void {
  logActivity(txn, activity, { kind: 'status', message: `Not taken into the campaign: ${why}` })
}
