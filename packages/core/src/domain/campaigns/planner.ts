import { type InferEntity, LockMode } from '@mikro-orm/core'
import { Unretryable } from '../../platform/jobs/jobs.ts'
import { Activity, closedStatuses } from '../activities/entities.ts'
import { openActivities } from '../activities/open.ts'
import { command } from '../command.ts'
import { startWaiting } from '../content/requests/waiting.ts'
import type { Command, Ctx } from '../context.ts'
import { notify } from '../notifications/notify.ts'
import { Tenant } from '../tenants/entities.ts'
import { type CampaignRow, recordChange, view } from './change.ts'
import { planJob } from './create.ts'
import { Campaign, Deliverable, Period } from './entities.ts'
import {
  addDays,
  dayIn,
  firstOfMonth,
  lastOfMonth,
  type PeriodDays,
  periodOf,
  startOfDay,
} from './periods.ts'
import { missingPieces } from './piece-queries.ts'
import { newPieces } from './pieces.ts'

type DeliverableRow = InferEntity<typeof Deliverable>
type PeriodRow = InferEntity<typeof Period>

/** How many activities one transaction opens, so that a large campaign holds nobody up. */
const batch = 100

/**
 * Handles `campaign.plan` jobs: brings a campaign to where it should be today. Opens what is missing of the current period,
 * makes a draft active, asks to be called again when the next period begins, and completes a campaign that is over. It may
 * be called at any time, twice, and again after it was killed half-way; a draft starts no run before all of its first
 * period is open.
 * @param payload `{ campaignId }`
 */
export async function planCampaign(ctx: Ctx, payload: Record<string, unknown>): Promise<void> {
  const { campaignId } = payload
  if (typeof campaignId !== 'string') throw new Unretryable(`${planJob} needs { campaignId }`)
  while ((await command(ctx, (cmd) => advance(cmd, campaignId))) === 'more');
}

async function advance(cmd: Command, campaignId: string): Promise<'settled' | 'more'> {
  const lockMode = LockMode.PESSIMISTIC_WRITE
  const campaign = await cmd.em.findOne(Campaign, { id: campaignId }, { lockMode })
  if (campaign?.status !== 'draft' && campaign?.status !== 'active') return 'settled'
  const { timezone } = await cmd.em.findOneOrFail(Tenant, { id: campaign.tenantId })
  const today = dayIn(cmd.clock.date(), timezone)
  const dates = {
    startDate: campaign.startDate ?? dayIn(campaign.createdOn, timezone),
    endDate: campaign.endDate,
  }
  if (today < dates.startDate) return comeBack(cmd, campaign, dates.startDate, timezone)
  const period = periodOf(today, dates)
  if (!period) return conclude(cmd, campaign, today, timezone)
  if (await openMissing(cmd, campaign, period)) return 'more'
  if (campaign.status === 'draft') {
    const before = view(campaign)
    campaign.status = 'active'
    recordChange(cmd, campaign, before)
  }
  await startWaiting(cmd, campaign.tenantId)
  return comeBack(cmd, campaign, addDays(period.periodEnd, 1), timezone)
}

/** Asks for planning on `day`. The key holds the day, since a job folds into the one that is running. */
function comeBack(cmd: Command, campaign: CampaignRow, day: string, zone: string): 'settled' {
  cmd.enqueue({
    kind: planJob,
    tenantId: campaign.tenantId,
    payload: { campaignId: campaign.id },
    uniqueKey: `${planJob}:${campaign.id}:${day}`,
    runAt: startOfDay(day, zone),
  })
  return 'settled'
}

/** @returns true when a batch was opened and there may be more */
async function openMissing(cmd: Command, campaign: CampaignRow, dates: PeriodDays): Promise<boolean> {
  const where = { campaignId: campaign.id }
  for (const deliverable of await cmd.em.find(Deliverable, where, { orderBy: { position: 'asc' } })) {
    const period = await ensurePeriod(cmd, deliverable, dates)
    const missing = await missingPieces(cmd, period)
    if (missing.length === 0) continue
    await openActivities(cmd, await newPieces(cmd, { deliverable, period, missing, batch }))
    return true
  }
  return false
}

/** One period a month: dates that have moved since stretch or cut the one that is there. */
async function ensurePeriod(
  cmd: Command,
  deliverable: DeliverableRow,
  dates: PeriodDays,
): Promise<PeriodRow> {
  const { periodStart, periodEnd } = dates
  const month = { $gte: firstOfMonth(periodEnd), $lte: lastOfMonth(periodEnd) }
  const existing = await cmd.em.findOne(Period, { deliverableId: deliverable.id, periodStart: month })
  if (existing) {
    existing.periodEnd = periodEnd
    return existing
  }
  return cmd.em.create(Period, {
    id: cmd.newId(),
    tenantId: deliverable.tenantId,
    deliverableId: deliverable.id,
    periodStart,
    periodEnd,
    target: deliverable.quantity,
    createdOn: cmd.clock.date(),
  })
}

/** Completes a campaign whose last day is over, once nothing of it is open; until then it asks again each day. */
async function conclude(
  cmd: Command,
  campaign: CampaignRow,
  today: string,
  zone: string,
): Promise<'settled'> {
  const open = await cmd.em.count(Activity, {
    campaignId: campaign.id,
    status: { $nin: [...closedStatuses] },
  })
  if (open > 0) return comeBack(cmd, campaign, addDays(today, 1), zone)
  const before = view(campaign)
  campaign.status = 'completed'
  recordChange(cmd, campaign, before)
  await notify(cmd, {
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
