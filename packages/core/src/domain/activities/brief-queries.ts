import type { Row } from '../../platform/database/database.ts'
import { asJson, asNumber, placeholders } from '../../platform/database/row.ts'
import type { OutputFormat } from '../content/entities.ts'
import type { Ctx } from '../context.ts'
import { notFound } from '../errors.ts'
import { within } from '../scope.ts'
import type { ActivityBrief } from './schemas.ts'

/**
 * What a piece of work was made from: the task, the brief of its campaign, and the newest texts of the steps before it, in
 * their order. Serves `GET …/activities/:activityId/brief` of reviewers and of the dashboard.
 * @throws DomainError `NOT_FOUND`
 */
export async function getBrief(ctx: Ctx, activityId: string): Promise<ActivityBrief> {
  const scope = within(ctx.scope, 'x.tenant_id')
  const row = await ctx.sql.get<Row>(
    `select x.input_prompt, x.depends_on, x.campaign_id, c.name as campaign_name, c.brief
     from activities x left join campaigns c on c.id = x.campaign_id and c.tenant_id = x.tenant_id
     where x.id = ? and ${scope.sql}`,
    [activityId, ...scope.params],
  )
  if (!row) throw notFound('activity')
  return {
    activityId,
    prompt: row.input_prompt as string,
    campaign:
      row.campaign_id === null
        ? null
        : { id: row.campaign_id as string, name: row.campaign_name as string, brief: row.brief as string },
    sources: await sourcesOf(ctx, asJson<string[]>(row.depends_on) ?? []),
  }
}

async function sourcesOf(ctx: Ctx, steps: readonly string[]): Promise<ActivityBrief['sources']> {
  if (steps.length === 0) return []
  const scope = within(ctx.scope, 'x.tenant_id')
  const rows = await ctx.sql.all<Row>(
    `select x.id, x.title, x.agent_role, o.version, o.format, o.text
     from activities x join outputs o on o.activity_id = x.id
     where x.id in (${placeholders(steps)}) and ${scope.sql}
       and o.version = (select max(n.version) from outputs n where n.activity_id = x.id)
     order by x.step_number, x.id`,
    [...steps, ...scope.params],
  )
  return rows.map((row) => ({
    activityId: row.id as string,
    title: row.title as string,
    agentRole: row.agent_role as string | null,
    version: asNumber(row.version),
    format: row.format as OutputFormat,
    text: row.text as string,
  }))
}
