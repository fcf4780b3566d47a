import type { Ctx } from '../../../kernel/context.ts'
import { notFound } from '../../../kernel/errors.ts'
import { within } from '../../../kernel/scope.ts'
import { placeholders } from '../../../platform/database/database.ts'
import { leftTable, nullable, pick, select, table, text } from '../../../platform/database/read.ts'
import { Campaign } from '../campaigns/entities.ts'
import { Output } from '../content/entities.ts'
import { sourcesOf } from '../sources/queries.ts'
import { Activity } from './entities.ts'
import type { ActivityBrief, StepSource } from './review-schemas.ts'

const x = table(Activity, 'x')
const c = leftTable(Campaign, 'c')
const task = select({
  prompt: x.inputPrompt,
  dependsOn: x.dependsOn,
  campaignId: c.id,
  campaignName: c.name,
  brief: c.brief,
  text: nullable(
    text('(select o.text from outputs o where o.activity_id = x.id order by o.version desc limit 1)'),
  ),
})

const o = table(Output, 'o')
const step = select({
  activityId: x.id,
  title: x.title,
  agentRole: x.agentRole,
  ...pick(o, 'version', 'format', 'text'),
})

/**
 * What a piece of work was made from: the task, the brief of its campaign, and the newest texts of the steps before it, in
 * their order, and what its agents were given. Serves `GET …/activities/:activityId/brief` of reviewers and of the dashboard.
 * @throws DomainError `NOT_FOUND`
 */
export async function getBrief(ctx: Ctx, activityId: string): Promise<ActivityBrief> {
  const scope = within(ctx.scope, 'x.tenant_id')
  const row = await task.get(
    ctx.sql,
    `from ${x} left join ${c} on c.id = x.campaign_id and c.tenant_id = x.tenant_id
     where x.id = ? and ${scope.sql}`,
    [activityId, ...scope.params],
  )
  if (!row) throw notFound('activity')
  const { prompt, dependsOn, campaignId: id, campaignName: name, brief, text: written } = row
  return {
    activityId,
    prompt,
    campaign: id !== null && name !== null && brief !== null ? { id, name, brief } : null,
    sources: [
      ...(await stepsBefore(ctx, dependsOn)),
      ...(await sourcesOf(ctx, { activityIds: [activityId, ...dependsOn], text: written })),
    ],
  }
}

async function stepsBefore(ctx: Ctx, steps: readonly string[]): Promise<StepSource[]> {
  if (steps.length === 0) return []
  const scope = within(ctx.scope, 'x.tenant_id')
  const rows = await step.all(
    ctx.sql,
    `from ${x} join ${o} on o.activity_id = x.id
     where x.id in (${placeholders(steps)}) and ${scope.sql}
       and o.version = (select max(n.version) from outputs n where n.activity_id = x.id)
     order by x.step_number, x.id`,
    [...steps, ...scope.params],
  )
  return rows.map((row) => ({ kind: 'step' as const, ...row }))
}
