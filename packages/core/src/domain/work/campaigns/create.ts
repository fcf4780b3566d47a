import { actorName, type Ctx, type Transaction } from '../../../kernel/context.ts'
import { invalid, notFound } from '../../../kernel/errors.ts'
import { toMicros } from '../../../kernel/money.ts'
import { oneTenant } from '../../../kernel/scope.ts'
import { transact } from '../../../kernel/transact.ts'
import { ActivityTemplate, Campaign, Deliverable } from './entities.ts'
import { campaignUpdate } from './events.ts'
import { planCampaignJob } from './jobs.ts'
import { requirePlatforms } from './policy.ts'
import type { NewCampaign } from './schemas.ts'

/**
 * Takes a campaign in as a draft and asks for its planning in the same transaction. Serves `POST /dashboard/v1/campaigns`.
 * @throws DomainError `NOT_FOUND` for an unknown platform or template; `VALIDATION_ERROR` for a template of another type
 */
export async function createCampaign(
  ctx: Ctx,
  input: NewCampaign,
): Promise<{ id: string; name: string; status: 'draft' }> {
  const tenantId = oneTenant(ctx)
  return transact(ctx, async (txn) => {
    await checkDeliverables(txn, input.deliverables)
    const now = txn.clock.date()
    const id = txn.newId()
    txn.em.create(Campaign, {
      id,
      tenantId,
      name: input.name,
      brief: input.brief,
      status: 'draft',
      budgetCapMicros: input.budgetCapUsd === undefined ? null : toMicros(input.budgetCapUsd),
      startDate: input.startDate ?? null,
      endDate: input.endDate ?? null,
      attachments: input.attachments ?? [],
      channels: null,
      goal: null,
      budgetMicros: null,
      budgetCurrency: null,
      deliverablePeriodId: null,
      statusNote: null,
      createdById: txn.actor.id,
      createdByName: actorName(txn),
      createdOn: now,
      updatedOn: now,
    })
    for (const [position, { type, quantity, platformIds, templateId }] of input.deliverables.entries()) {
      txn.em.create(Deliverable, {
        id: txn.newId(),
        tenantId,
        campaignId: id,
        position,
        type,
        quantity,
        platformIds: [...new Set(platformIds)],
        templateId: templateId ?? null,
        plannedTemplateId: null,
        plannedVersion: null,
        createdOn: now,
      })
    }
    const { brief: _, ...after } = input
    txn.audit({ tenantId, resourceType: 'campaign', resourceId: id, after: { ...after, status: 'draft' } })
    txn.emit(campaignUpdate, {
      tenantId,
      subject: id,
      data: { campaignId: id, name: input.name, status: 'draft' },
    })
    requestPlanning(txn, { id, tenantId })
    return { id, name: input.name, status: 'draft' }
  })
}

/** Has a campaign planned as soon as this command commits. Planning twice does no harm. */
export function requestPlanning(txn: Transaction, campaign: { id: string; tenantId: string }): void {
  txn.enqueue(planCampaignJob, { tenantId: campaign.tenantId, payload: { campaignId: campaign.id } })
}

async function checkDeliverables(txn: Transaction, deliverables: NewCampaign['deliverables']): Promise<void> {
  for (const [index, { type, platformIds = [], templateId }] of deliverables.entries()) {
    requirePlatforms(platformIds, `deliverables.${index}.platformIds`)
    if (templateId === undefined) continue
    const field = `deliverables.${index}.templateId`
    const template = await txn.em.findOne(ActivityTemplate, { id: templateId, status: 'active' })
    if (!template) throw notFound('activity template', { field })
    if (template.deliverableType !== type) {
      throw invalid(field, `“${template.name}” makes ${template.deliverableType}, not ${type}`)
    }
  }
}
