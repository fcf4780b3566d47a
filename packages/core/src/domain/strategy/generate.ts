import { effectiveAgent } from '../agents/effective-queries.ts'
import { openActivities } from '../activities/open.ts'
import { command } from '../command.ts'
import type { Ctx } from '../context.ts'
import { DomainError } from '../errors.ts'
import { toUsd } from '../money.ts'
import { lockOpenRun } from '../runs/wake.ts'
import { oneTenant } from '../scope.ts'
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
  return command(ctx, async (cmd) => {
    const tenantId = oneTenant(cmd)
    const { content } = await lockStrategy(cmd, tenantId)
    const draft = await openDraft({ ...cmd, sql: cmd.tx })
    if (draft)
      throw new DomainError('CONFLICT', 'A strategy is being written, or waits for its approval', {
        details: { reason: 'draft_open', activityId: draft.activityId },
      })
    if (!(await effectiveAgent(cmd, tenantId, strategist)))
      throw new DomainError('UNPROCESSABLE', 'The tenant has no strategist')
    const goals = await cmd.em.find(Goal, { tenantId }, { orderBy: { id: 'asc' } })
    const activityId = cmd.newId()
    await openActivities(cmd, [
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
    cmd.em.create(StrategyDraft, { activityId, tenantId })
    await cmd.em.flush()
    const run = await lockOpenRun(cmd, activityId)
    if (!run) throw new DomainError('UNPROCESSABLE', 'The strategist cannot be given work')
    cmd.audit({
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
