import { type InferEntity, LockMode } from '@mikro-orm/core'
import type { Ctx, Transaction } from '../../../kernel/context.ts'
import {
  addDays,
  dayIn,
  firstOfMonth,
  lastOfMonth,
  type PeriodDays,
  periodOf,
  startOfDay,
} from '../../../kernel/periods.ts'
import { transact } from '../../../kernel/transact.ts'
import { Tenant } from '../../accounts/tenants/entities.ts'
import { effectiveAgent } from '../../agents/configuration/effective-queries.ts'
import { notify } from '../../people/notifications/notify.ts'
import { Activity, closedStatuses } from '../activities/entities.ts'
import { openActivities } from '../activities/open.ts'
import { startWaiting } from '../content/requests/decide.ts'
import { auditedCampaign, type CampaignRow, recordChange } from './change.ts'
import { Campaign, Deliverable, Period } from './entities.ts'
import { planCampaignJob } from './jobs.ts'
import { newPieces } from './pieces.ts'
import { missingPieces } from './progress-queries.ts'
import { finalStep } from './templates.ts'
import { wasOrdered } from './workflow/order-queries.ts'
import { orderContent } from './workflow/orders.ts'
import { firstContent } from './workflow/policy.ts'

type DeliverableRow = InferEntity<typeof Deliverable>
type PeriodRow = InferEntity<typeof Period>

/** How many activities one transaction opens, so that a large campaign holds no one up. */
const batch = 100

/**
 * Handles `campaign.plan` jobs: brings a campaign to where it should be today. Opens what is missing of the current period,
 * makes a draft active, and what the client has approved; asks to be called again when the next period begins, and completes
 * a campaign that is over. It may be called at any time, twice, and again after it was killed half-way; a draft starts no run
 * before all of its first period is open.
 */
export async function planCampaign(ctx: Ctx, { campaignId }: { campaignId: string }): Promise<void> {
  while ((await transact(ctx, (txn) => advance(txn, campaignId))) === 'more');
}

async function advance(txn: Transaction, campaignId: string): Promise<'settled' | 'more'> {
  const lockMode = LockMode.PESSIMISTIC_WRITE
  const campaign = await txn.em.findOne(Campaign, { id: campaignId }, { lockMode })
  if (!campaign || !(campaign.status === 'active' || startsByItself(campaign))) return 'settled'
  const { timezone } = await txn.em.findOneOrFail(Tenant, { id: campaign.tenantId })
  const today = dayIn(txn.clock.date(), timezone)
  const dates = {
    startDate: campaign.startDate ?? dayIn(campaign.createdOn, timezone),
    endDate: campaign.endDate,
  }
  if (today < dates.startDate) return comeBack(txn, campaign, dates.startDate, timezone)
  const period = periodOf(today, dates)
  if (!period) return conclude(txn, campaign, today, timezone)
  if (await openMissing(txn, campaign, period)) return 'more'
  if (campaign.status !== 'active') {
    const before = auditedCampaign(campaign)
    campaign.status = 'active'
    recordChange(txn, campaign, before)
    await orderFirst(txn, campaign)
  }
  await startWaiting(txn, campaign.tenantId)
  return comeBack(txn, campaign, addDays(period.periodEnd, 1), timezone)
}

/** Under autopilot, a campaign that promises nothing gets its first piece when it starts, unless people have asked for one. */
async function orderFirst(txn: Transaction, campaign: CampaignRow): Promise<void> {
  const { id, tenantId, type, autoPilotEnabled } = campaign
  if (!autoPilotEnabled || (await wasOrdered(txn, id, 'content'))) return
  if ((await txn.em.count(Deliverable, { campaignId: id })) > 0) return
  const deliverableType = firstContent(type)
  const { agentRole } = await finalStep(txn, deliverableType)
  if (await effectiveAgent(txn, tenantId, agentRole))
    await orderContent(txn, campaign, { deliverableType, inputPayload: {} })
}

/**
 * Whether no person has to start a campaign: a draft of the dashboard, and what the client has approved, on its start date
 * or under autopilot.
 */
function startsByItself({ status, startsWhenPlanned, startDate, autoPilotEnabled }: CampaignRow): boolean {
  if (status === 'draft') return startsWhenPlanned
  return status === 'client_approved' && (startDate !== null || autoPilotEnabled)
}

/** Asks for planning on `day`. The key holds the day, so that it is another job than the one that asks. */
function comeBack(txn: Transaction, campaign: CampaignRow, day: string, zone: string): 'settled' {
  txn.enqueue(planCampaignJob, {
    tenantId: campaign.tenantId,
    payload: { campaignId: campaign.id },
    uniqueKey: `${planCampaignJob.kind}:${campaign.id}:${day}`,
    runAt: startOfDay(day, zone),
  })
  return 'settled'
}

/** @returns true when a batch was opened and there may be more */
async function openMissing(txn: Transaction, campaign: CampaignRow, dates: PeriodDays): Promise<boolean> {
  const where = { campaignId: campaign.id }
  for (const deliverable of await txn.em.find(Deliverable, where, { orderBy: { position: 'asc' } })) {
    const period = await ensurePeriod(txn, deliverable, dates)
    const missing = await missingPieces(txn, period)
    if (missing.length === 0) continue
    await openActivities(txn, await newPieces(txn, { deliverable, period, missing, batch }))
    return true
  }
  return false
}

/** One period a month: dates that have moved since stretch or cut the one that is there. */
async function ensurePeriod(
  txn: Transaction,
  deliverable: DeliverableRow,
  dates: PeriodDays,
): Promise<PeriodRow> {
  const { periodStart, periodEnd } = dates
  const month = { $gte: firstOfMonth(periodEnd), $lte: lastOfMonth(periodEnd) }
  const existing = await txn.em.findOne(Period, { deliverableId: deliverable.id, periodStart: month })
  if (existing) {
    existing.periodEnd = periodEnd
    return existing
  }
  return txn.em.create(Period, {
    id: txn.newId(),
    tenantId: deliverable.tenantId,
    deliverableId: deliverable.id,
    periodStart,
    periodEnd,
    target: deliverable.quantity,
    createdOn: txn.clock.date(),
  })
}

/** Completes a campaign whose last day is over, once nothing of it is open; until then it asks again each day. */
async function conclude(
  txn: Transaction,
  campaign: CampaignRow,
  today: string,
  zone: string,
): Promise<'settled'> {
  const open = await txn.em.count(Activity, {
    campaignId: campaign.id,
    status: { $nin: [...closedStatuses] },
  })
  if (open > 0) return comeBack(txn, campaign, addDays(today, 1), zone)
  const before = auditedCampaign(campaign)
  campaign.status = 'completed'
  recordChange(txn, campaign, before)
  await notify(txn, {
    tenantId: campaign.tenantId,
    to: 'admins',
    type: 'campaign_update',
    title: `Completed: ${campaign.name}`,
    body: `The campaign ended on ${campaign.endDate} and nothing of it is open.`,
    subjectKind: 'campaigns',
    subjectId: campaign.id,
  })
  return 'settled'
}
