import type { Ctx, Transaction } from '../../../../kernel/context.ts'
import { DomainError } from '../../../../kernel/errors.ts'
import { transact } from '../../../../kernel/transact.ts'
import { notify } from '../../../people/notifications/notify.ts'
import { reviewersOf } from '../../approvals/queries.ts'
import {
  auditedCampaign,
  type CampaignRow,
  endWaiting,
  giveStatus,
  lockCampaign,
  recordChange,
} from '../change.ts'
import { requestPlanning } from '../create.ts'
import type { CampaignStatus } from '../entities.ts'
import { requireMove } from './policy.ts'
import { getWorkflowCampaign } from './queries.ts'
import type { ClientVerdict, StatusChange, WorkflowCampaign } from './schemas.ts'

/**
 * Sets the status by hand, within what the caller's role may; the present one once more changes nothing. Serves
 * `PATCH /tenant/v1/campaigns/:campaignId/status`.
 * @throws DomainError `NOT_FOUND`; `FORBIDDEN` and `UNPROCESSABLE` as `requireMove`
 */
export async function changeStatus(
  ctx: Ctx,
  id: string,
  { status, note }: StatusChange,
): Promise<WorkflowCampaign> {
  await transact(ctx, async (txn) => {
    const campaign = await lockCampaign(txn, id)
    requireMove(txn.actor.role, campaign.status, status)
    if (campaign.status !== status) await moveCampaign(txn, campaign, status, note)
  })
  return getWorkflowCampaign(ctx, id)
}

/**
 * The client's verdict on a campaign: approved, it starts on its start date or by autopilot, else when someone makes it active;
 * otherwise it goes back with the note. Of two verdicts at once one wins. Serves `POST /tenant/v1/campaigns/:campaignId/approve`.
 * @throws DomainError `NOT_FOUND`; `CONFLICT` when it does not wait for the client (`details.status`)
 */
export async function decideForClient(
  ctx: Ctx,
  id: string,
  { approved, note }: ClientVerdict,
): Promise<WorkflowCampaign> {
  await transact(ctx, async (txn) => {
    const campaign = await lockCampaign(txn, id)
    if (campaign.status !== 'client_review')
      throw new DomainError('CONFLICT', 'The campaign does not wait for the client', {
        details: { reason: 'not_in_client_review', status: campaign.status },
      })
    await moveCampaign(txn, campaign, approved ? 'client_approved' : 'dm_review', note)
    if (approved) requestPlanning(txn, campaign)
  })
  return getWorkflowCampaign(ctx, id)
}

/**
 * Gives a campaign a status, and tells people whose turn it is: the team where it reviews, the reviewers where it waits for the
 * client. What they were told of the status before is done with. The caller holds the lock of the campaign.
 */
export async function moveCampaign(
  txn: Transaction,
  campaign: CampaignRow,
  status: CampaignStatus,
  note?: string,
): Promise<void> {
  const before = auditedCampaign(campaign)
  await endWaiting(txn, campaign)
  giveStatus(txn, campaign, status)
  campaign.startsWhenPlanned = false
  campaign.statusNote = note || null
  recordChange(txn, campaign, before, { note: campaign.statusNote })
  const title = titles[status]
  if (!title) return
  const { id, tenantId, name } = campaign
  const line = {
    tenantId,
    type: 'campaign_update' as const,
    title: `${title}: ${name}`,
    body: campaign.statusNote ?? 'Open the campaign to go on with it.',
    subjectKind: 'campaigns' as const,
    subjectId: id,
  }
  await notify(txn, { ...line, to: status === 'dm_review' ? 'team' : 'admins' })
  if (status === 'client_review') await notify(txn, { ...line, to: await reviewersOf(txn, tenantId) })
}

const titles: Partial<Record<CampaignStatus, string>> = {
  dm_review: 'To be reviewed',
  client_review: 'Waits for the client',
  client_approved: 'Approved by the client',
}
