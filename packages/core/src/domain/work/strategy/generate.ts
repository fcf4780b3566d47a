import type { Ctx } from '../../../kernel/context.ts'
import { DomainError } from '../../../kernel/errors.ts'
import { toUsd } from '../../../kernel/money.ts'
import { oneTenant } from '../../../kernel/scope.ts'
import { transact } from '../../../kernel/transact.ts'
import { effectiveAgent } from '../../agents/configuration/effective-queries.ts'
import { openActivities } from '../activities/open.ts'
import { lockOpenRun } from '../runs/queue/wake.ts'
import { Goal, type GoalRow, StrategyDraft } from './entities.ts'
import { openDraft } from './queries.ts'
import type { StrategyRequest } from './schemas.ts'
import { lockStrategy } from './strategy.ts'

const strategist = 'strategist'

/**
 * Has the strategist write a new strategy from the present one, the goals and the brand. Once its text is approved it is the
 * strategy. Serves `POST /tenant/v1/strategy/generate`.
 * @throws DomainError `CONFLICT` while one is being written or waits for its approval (`details.activityId`);
 *   `UNPROCESSABLE` when the tenant has no strategist; `VALIDATION_ERROR` on `tenantId`
 */
export function generateStrategy(
  ctx: Ctx,
  { instructions }: StrategyRequest,
): Promise<{ activityId: string; runId: string }> {
  return transact(ctx, async (txn) => {
    const tenantId = oneTenant(txn)
    const { content } = await lockStrategy(txn, tenantId)
    const draft = await openDraft(txn)
    if (draft)
      throw new DomainError('CONFLICT', 'A strategy is being written, or waits for its approval', {
        details: { reason: 'draft_open', activityId: draft.activityId },
      })
    if (!(await effectiveAgent(txn, tenantId, strategist)))
      throw new DomainError('UNPROCESSABLE', 'The tenant has no strategist')
    const goals = await txn.em.find(Goal, { tenantId }, { orderBy: { id: 'asc' } })
    const activityId = txn.newId()
    await openActivities(txn, [
      {
        id: activityId,
        tenantId,
        title: 'Marketing strategy',
        type: 'outline',
        agentRole: strategist,
        inputPrompt: promptFor({ content, goals, instructions }),
        approvalRequired: true,
        approvalType: 'strategy_change',
      },
    ])
    txn.em.create(StrategyDraft, { activityId, tenantId })
    await txn.em.flush()
    const run = await lockOpenRun(txn, activityId)
    if (!run) throw new DomainError('UNPROCESSABLE', 'The strategist cannot be given work')
    txn.audit({
      tenantId,
      resourceType: 'activity',
      resourceId: activityId,
      after: { title: 'Marketing strategy', runId: run.id },
    })
    return { activityId, runId: run.id }
  })
}

function promptFor(known: { content: string; goals: GoalRow[]; instructions: string | undefined }): string {
  const goals = known.goals.map(
    ({ title, metric, targetMicros, periodStart, periodEnd }) =>
      `- ${title}: ${toUsd(targetMicros)} ${metric.replaceAll('_', ' ')} from ${periodStart} to ${periodEnd}`,
  )
  const sections = [
    'Write the marketing strategy of the company in Markdown: where it stands, whom it speaks to and with which message, the channels and why, what is made and how often, what is measured, and what is not done. It is followed by everybody who writes for the company.',
    known.content && `## The strategy until now\n\n${known.content}`,
    goals.length > 0 && `## Goals\n\n${goals.join('\n')}`,
    known.instructions && `## What to see to this time\n\n${known.instructions}`,
  ]
  return sections.filter(Boolean).join('\n\n')
}
