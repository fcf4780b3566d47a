import type { Ctx } from '../../../kernel/context.ts'
import { DomainError, notFound } from '../../../kernel/errors.ts'
import { narrowed } from '../../../kernel/scope.ts'
import { transact } from '../../../kernel/transact.ts'
import { effectiveAgent } from '../../agents/configuration/effective-queries.ts'
import { openActivities } from '../activities/open.ts'
import { Campaign } from '../campaigns/entities.ts'
import { lockOpenRun } from '../runs/queue/wake.ts'
import type { ManualRun } from './schemas.ts'

/**
 * Gives an agent of a tenant a task of its own, outside of any plan; a paused agent does it once it is resumed. Serves
 * `POST /dm/v1/agents/:role/run`.
 * @throws DomainError `FORBIDDEN` for a tenant outside the scope; `NOT_FOUND` for a campaign of another one, and a role that the tenant does
 *   not have; `UNPROCESSABLE` when the campaign is paused or archived
 */
export async function runAgent(
  ctx: Ctx,
  role: string,
  { tenantId, prompt, title, campaignId, priority }: ManualRun,
): Promise<{ activityId: string; runId: string }> {
  return transact(narrowed(ctx, tenantId), async (txn) => {
    if (!(await effectiveAgent(txn, tenantId, role))) throw notFound('agent', { by: 'role' })
    const campaign =
      campaignId === undefined ? null : await txn.em.findOne(Campaign, { id: campaignId, tenantId })
    if (campaignId !== undefined && !campaign) throw notFound('campaign')
    if (campaign?.status === 'paused' || campaign?.status === 'archived')
      throw new DomainError('UNPROCESSABLE', `The campaign is ${campaign.status}`, { field: 'campaignId' })
    const activityId = txn.newId()
    await openActivities(txn, [
      {
        id: activityId,
        tenantId,
        campaignId: campaignId ?? null,
        // Nothing comes after it: the admins are told when it is done.
        isFinalStep: true,
        title: title ?? firstLine(prompt),
        type: 'draft',
        agentRole: role,
        priority: priority === 'high' ? 10 : 0,
        inputPrompt: prompt,
        wakeReason: 'manual',
      },
    ])
    await txn.em.flush()
    const run = await lockOpenRun(txn, activityId)
    if (!run) throw new Error('What was just given to an agent has no run')
    txn.audit({
      tenantId,
      resourceType: 'activity',
      resourceId: activityId,
      after: { agentRole: role, campaignId: campaignId ?? null, priority, runId: run.id },
    })
    return { activityId, runId: run.id }
  })
}

function firstLine(text: string): string {
  const line = text.trim().split('\n', 1)[0]?.trim() || 'A task'
  return line.slice(0, 100).replace(/[\uD800-\uDBFF]$/, '')
}
