import { actorName } from '../actor.ts'
import { command } from '../command.ts'
import type { Command, Ctx } from '../context.ts'
import { invalid, notFound } from '../errors.ts'
import { toMicros } from '../money.ts'
import { oneTenant } from '../scope.ts'
import { ActivityTemplate, Campaign, Deliverable } from './entities.ts'
import { requirePlatforms } from './platforms.ts'
import type { NewCampaign } from './schemas.ts'

/** The job that opens the activities of a campaign; payload `{ campaignId }`. */
export const planJob = 'campaign.plan'

/**
 * Takes a campaign in as a draft and asks for its planning in the same transaction. Serves `POST /dashboard/v1/campaigns`.
 * @throws DomainError `NOT_FOUND` for an unknown platform or template; `VALIDATION_ERROR` for a template of another type
 */
export async function createCampaign(
  ctx: Ctx,
  input: NewCampaign,
): Promise<{ id: string; name: string; status: 'draft' }> {
  const tenantId = oneTenant(ctx)
  return command(ctx, async (cmd) => {
    await checkDeliverables(cmd, input.deliverables)
    const now = cmd.clock.date()
    const id = cmd.newId()
    cmd.em.create(Campaign, {
      id,
      tenantId,
      name: input.name,
      brief: input.brief,
      status: 'draft',
      budgetCapMicros: input.budgetCapUsd === undefined ? null : toMicros(input.budgetCapUsd),
      startDate: input.startDate ?? null,
      endDate: input.endDate ?? null,
      attachments: input.attachments ?? [],
      createdById: cmd.actor.id,
      createdByName: actorName(cmd),
      createdOn: now,
      updatedOn: now,
    })
    for (const [position, { type, quantity, platformIds, templateId }] of input.deliverables.entries()) {
      cmd.em.create(Deliverable, {
        id: cmd.newId(),
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
    cmd.audit({ tenantId, resourceType: 'campaign', resourceId: id, after: { ...after, status: 'draft' } })
    cmd.emit({
      tenantId,
      type: 'campaign_update',
      subject: id,
      data: { campaignId: id, name: input.name, status: 'draft' },
    })
    requestPlanning(cmd, { id, tenantId })
    return { id, name: input.name, status: 'draft' }
  })
}

/** Has a campaign planned as soon as this command commits. Planning twice does no harm. */
export function requestPlanning(cmd: Command, campaign: { id: string; tenantId: string }): void {
  cmd.enqueue({ kind: planJob, tenantId: campaign.tenantId, payload: { campaignId: campaign.id } })
}

async function checkDeliverables(cmd: Command, deliverables: NewCampaign['deliverables']): Promise<void> {
  for (const [index, { type, platformIds = [], templateId }] of deliverables.entries()) {
    requirePlatforms(platformIds, `deliverables.${index}.platformIds`)
    if (templateId === undefined) continue
    const field = `deliverables.${index}.templateId`
    const template = await cmd.em.findOne(ActivityTemplate, { id: templateId, status: 'active' })
    if (!template) throw notFound('activity template', { field })
    if (template.deliverableType !== type) {
      throw invalid(field, `“${template.name}” makes ${template.deliverableType}, not ${type}`)
    }
  }
}
