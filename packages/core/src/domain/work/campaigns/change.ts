import { type InferEntity, LockMode } from '@mikro-orm/core'
import type { Ctx, Transaction } from '../../../kernel/context.ts'
import { DomainError, notFound } from '../../../kernel/errors.ts'
import { toMicros, toUsd } from '../../../kernel/money.ts'
import { transact } from '../../../kernel/transact.ts'
import { settleTold } from '../../people/notifications/inbox-queries.ts'
import { requestPlanning } from './create.ts'
import { Campaign, type CampaignStatus } from './entities.ts'
import { campaignUpdate } from './events.ts'
import { dashboardStatus } from './policy.ts'
import { campaignItem } from './queries.ts'
import type { CampaignChange, CampaignItem } from './schemas.ts'

export type CampaignRow = InferEntity<typeof Campaign>

/**
 * Loads a campaign and locks it until the command ends. A campaign is always locked before its activities.
 * @throws DomainError `NOT_FOUND`
 */
export async function lockCampaign(txn: Transaction, id: string): Promise<CampaignRow> {
  const campaign = await txn.em.findOne(Campaign, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE })
  if (!campaign) throw notFound('campaign')
  return campaign
}

/**
 * Changes what may be changed; what is promised stays. `paused` holds new runs back while turns under way finish, `active`
 * lets them go and has the period planned that has begun meanwhile. Serves `PATCH /dashboard/v1/campaigns/:campaignId`.
 * @throws DomainError `NOT_FOUND`; `UNPROCESSABLE` when the campaign is archived, or its status cannot become the new one
 */
export async function changeCampaign(ctx: Ctx, id: string, changes: CampaignChange): Promise<CampaignItem> {
  await transact(ctx, async (txn) => {
    const campaign = await lockCampaign(txn, id)
    if (campaign.status === 'archived') {
      throw new DomainError('UNPROCESSABLE', 'The campaign is archived and cannot be changed')
    }
    const before = auditedCampaign(campaign)
    if (changes.name !== undefined) campaign.name = changes.name
    if (changes.brief !== undefined) campaign.brief = changes.brief
    if (changes.budgetCapUsd !== undefined) {
      campaign.budgetCapMicros = changes.budgetCapUsd === null ? null : toMicros(changes.budgetCapUsd)
    }
    if (changes.status !== undefined) switchTo(txn, campaign, changes.status)
    recordChange(txn, campaign, before, { briefChanged: changes.brief !== undefined })
  })
  return campaignItem(ctx, id)
}

/**
 * Archives a campaign for good: no run starts any more, turns under way finish. Archiving twice changes nothing.
 * Serves `DELETE /dashboard/v1/campaigns/:campaignId`.
 * @throws DomainError `NOT_FOUND`
 */
export async function archiveCampaign(ctx: Ctx, id: string): Promise<void> {
  await transact(ctx, async (txn) => {
    const campaign = await lockCampaign(txn, id)
    if (campaign.status === 'archived') return
    const before = auditedCampaign(campaign)
    await endWaiting(txn, campaign)
    campaign.status = 'archived'
    recordChange(txn, campaign, before)
  })
}

function switchTo(txn: Transaction, campaign: CampaignRow, status: 'active' | 'paused'): void {
  const from = campaign.status
  if (from === status) return
  if (!mayBecome(from, status)) {
    const said = dashboardStatus(from) === from ? from : 'under review'
    throw new DomainError('UNPROCESSABLE', `The campaign is ${said} and cannot become ${status}`, {
      field: 'status',
    })
  }
  giveStatus(txn, campaign, status)
}

/** What people were told of a campaign that has waited for them is done with, before it gets another status. */
export async function endWaiting(txn: Transaction, { id, tenantId, status }: CampaignRow): Promise<void> {
  if (status !== 'dm_review' && status !== 'client_review') return
  await settleTold(txn, { tenantId, type: 'campaign_update', subjectKind: 'campaigns', subjectId: id })
}

/** Sets a status for a person. What becomes active is planned, and runs that have waited may start. */
export function giveStatus(txn: Transaction, campaign: CampaignRow, status: CampaignStatus): void {
  campaign.status = status
  if (status === 'active') requestPlanning(txn, campaign)
  txn.signal('runs')
}

/** Writes down and tells what a command has changed about a campaign. */
export function recordChange(
  txn: Transaction,
  campaign: CampaignRow,
  before: ReturnType<typeof auditedCampaign>,
  more: Record<string, unknown> = {},
): void {
  const { id, tenantId, name, status } = campaign
  campaign.updatedOn = txn.clock.date()
  txn.audit({
    tenantId,
    resourceType: 'campaign',
    resourceId: id,
    before,
    after: { ...auditedCampaign(campaign), ...more },
  })
  const shown = dashboardStatus(status)
  const data = { campaignId: id, name, status: shown, ...(shown !== status && { workflowStatus: status }) }
  txn.emit(campaignUpdate, { tenantId, subject: id, data })
}

/** Whether a tenant may set the status by hand; a campaign under review moves on by its reviewers only. */
function mayBecome(from: CampaignStatus, to: 'active' | 'paused'): boolean {
  return (
    from === 'draft' ||
    from === 'active' ||
    from === 'paused' ||
    (from === 'client_approved' && to === 'active')
  )
}

/** What the audit shows of a campaign. */
export function auditedCampaign(campaign: CampaignRow): {
  name: string
  status: CampaignStatus
  budgetCapUsd: number | null
} {
  const { name, status, budgetCapMicros } = campaign
  return { name, status, budgetCapUsd: budgetCapMicros === null ? null : toUsd(budgetCapMicros) }
}
