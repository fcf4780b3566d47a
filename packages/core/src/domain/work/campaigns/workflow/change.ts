import type { Ctx } from '../../../../kernel/context.ts'
import { DomainError, invalid } from '../../../../kernel/errors.ts'
import { toMicros } from '../../../../kernel/money.ts'
import { transact } from '../../../../kernel/transact.ts'
import { auditedCampaign, type CampaignRow, lockCampaign, recordChange } from '../change.ts'
import { requestPlanning } from '../create.ts'
import { requirePeriod } from './create.ts'
import { getWorkflowCampaign } from './queries.ts'
import type { WorkflowCampaign, WorkflowChange } from './schemas.ts'

/**
 * Changes what is named; the status has a way of its own. New dates, and autopilot, are planned for at once. Serves
 * `PATCH /tenant/v1/campaigns/:campaignId`.
 * @throws DomainError `NOT_FOUND`, also for an unknown period; `UNPROCESSABLE` when the campaign is archived;
 *   `VALIDATION_ERROR` when it would end before it starts
 */
export async function changeWorkflowCampaign(
  ctx: Ctx,
  id: string,
  changes: WorkflowChange,
): Promise<WorkflowCampaign> {
  await transact(ctx, async (txn) => {
    const campaign = await lockCampaign(txn, id)
    requireChangeable(campaign)
    await requirePeriod(txn, changes.deliverablePeriodId)
    const before = auditedCampaign(campaign)
    const { budget, ...fields } = changes
    Object.assign(campaign, fields)
    if (budget !== undefined) campaign.budgetMicros = budget === null ? null : toMicros(budget)
    if (campaign.budgetMicros !== null) campaign.budgetCurrency ??= 'USD'
    const { startDate, endDate } = campaign
    if (startDate && endDate && startDate > endDate)
      throw invalid(
        changes.endDate === undefined ? 'startDate' : 'endDate',
        'endDate must not be before startDate',
      )
    const { brief, ...told } = changes
    recordChange(txn, campaign, before, { ...told, ...(brief !== undefined && { briefChanged: true }) })
    const { autoPilotEnabled } = changes
    if (changes.startDate !== undefined || changes.endDate !== undefined || autoPilotEnabled)
      requestPlanning(txn, campaign)
  })
  return getWorkflowCampaign(ctx, id)
}

/** @throws DomainError `UNPROCESSABLE` when the campaign is archived */
export function requireChangeable({ status }: Pick<CampaignRow, 'status'>): void {
  if (status === 'archived')
    throw new DomainError('UNPROCESSABLE', 'The campaign is archived and cannot be changed')
}
