import { actorName, type Ctx, type Transaction } from '../../../../kernel/context.ts'
import { notFound } from '../../../../kernel/errors.ts'
import { toMicros } from '../../../../kernel/money.ts'
import { oneTenant } from '../../../../kernel/scope.ts'
import { transact } from '../../../../kernel/transact.ts'
import { Campaign, Period } from '../entities.ts'
import { campaignUpdate } from '../events.ts'
import { getWorkflowCampaign } from './queries.ts'
import type { NewWorkflowCampaign, WorkflowCampaign } from './schemas.ts'

/** The currency of a budget that names none. */
const usualCurrency = 'USD'

/**
 * Takes a campaign in as a draft that no agent works on. Serves `POST /tenant/v1/campaigns`.
 * @throws DomainError `NOT_FOUND` for an unknown period; `VALIDATION_ERROR` on `tenantId`
 */
export async function createWorkflowCampaign(
  ctx: Ctx,
  input: NewWorkflowCampaign,
): Promise<WorkflowCampaign> {
  const tenantId = oneTenant(ctx)
  const id = await transact(ctx, async (txn) => {
    await requirePeriod(txn, input.deliverablePeriodId)
    const { name, type, goal, budget, budgetCurrency = usualCurrency } = input
    const now = txn.clock.date()
    const id = txn.newId()
    txn.em.create(Campaign, {
      id,
      tenantId,
      name,
      brief: '',
      status: 'draft',
      budgetCapMicros: null,
      startDate: input.startDate ?? null,
      endDate: input.endDate ?? null,
      attachments: [],
      type,
      source: 'manual',
      channels: [...new Set(input.channel)],
      goal,
      budgetMicros: budget === undefined ? null : toMicros(budget),
      budgetCurrency: budget === undefined && input.budgetCurrency === undefined ? null : budgetCurrency,
      deliverablePeriodId: input.deliverablePeriodId ?? null,
      autoPilotEnabled: false,
      startsWhenPlanned: false,
      statusNote: null,
      createdById: txn.actor.id,
      createdByName: actorName(txn),
      createdOn: now,
      updatedOn: now,
    })
    txn.audit({ tenantId, resourceType: 'campaign', resourceId: id, after: { ...input, status: 'draft' } })
    txn.emit(campaignUpdate, {
      tenantId,
      subject: id,
      data: { campaignId: id, name, status: 'draft' },
    })
    return id
  })
  return getWorkflowCampaign(ctx, id)
}

/** @throws DomainError `NOT_FOUND` on the field, for a period that the tenant does not have */
export async function requirePeriod(txn: Transaction, id: string | null | undefined): Promise<void> {
  if (!id || (await txn.em.findOne(Period, { id }))) return
  throw notFound('period of a deliverable', { field: 'deliverablePeriodId' })
}
