import type { Ctx } from '../../../kernel/context.ts'
import { notFound } from '../../../kernel/errors.ts'
import { equals, readOffset, where } from '../../../kernel/paging-queries.ts'
import { within } from '../../../kernel/scope.ts'
import { preview } from '../../../kernel/text.ts'
import { count, instant, leftTable, nullable, type RowOf, select } from '../../../platform/database/read.ts'
import { Approval } from '../approvals/entities.ts'
import { Output } from '../content/entities.ts'
import { summary, summaryTables, toSummary } from './queries.ts'
import type { ActivitySummary, MobileActivity, MobileActivityPage, MobileActivityQuery } from './schemas.ts'

/** A tenant's activities in few words, newest first. Serves `GET /mobile/v1/activities`. */
export async function listActivitiesForApp(
  ctx: Ctx,
  query: MobileActivityQuery,
): Promise<MobileActivityPage> {
  return readOffset(
    ctx.sql,
    {
      select: summary,
      tables: summaryTables,
      from: 'activities x',
      condition: where(
        within(ctx.scope, 'x.tenant_id'),
        equals('x.status', query['filter.status']),
        equals('x.campaign_id', query['filter.campaignId']),
      ),
      orderBy: 'x.id desc',
      request: query,
    },
    (row) => withCampaign(toSummary(row)),
  )
}

const o = leftTable(Output, 'o')
const p = leftTable(Approval, 'p')
const more = select({
  outputRef: o.id,
  text: o.text,
  approvalId: p.id,
  approvalType: p.type,
  approvalStatus: p.status,
  lastRunAt: nullable(instant('(select max(r.started_at) from runs r where r.activity_id = x.id)')),
})

/**
 * One activity with the beginning of its newest text. Serves `GET /mobile/v1/activities/:activityId`.
 * @throws DomainError `NOT_FOUND`
 */
export async function getActivityForApp(ctx: Ctx, id: string): Promise<MobileActivity> {
  const condition = where(within(ctx.scope, 'x.tenant_id'), equals('x.id', id))
  const row = await summary.get(ctx.sql, `from ${summaryTables} where ${condition.sql}`, condition.params)
  if (!row) throw notFound('activity')
  const found = await more.get(
    ctx.sql,
    `from activities x
     left join outputs o on o.activity_id = x.id
       and o.version = (select max(version) from outputs where activity_id = x.id)
     left join approvals p on p.id = ?
     where ${condition.sql}`,
    [row.approvalId, ...condition.params],
  )
  const { approvalId: _, ...told } = toSummary(row)
  return { ...withCampaign(told), ...(found && toDetails(found)) }
}

function toDetails(row: RowOf<typeof more>) {
  const { outputRef, text, approvalId: id, approvalType: type, approvalStatus: status, lastRunAt } = row
  return {
    ...(outputRef !== null && text !== null && { outputRef, outputPreview: preview(text, 500) }),
    ...(id !== null && type !== null && status !== null && { approval: { id, type, status } }),
    ...(lastRunAt && { lastRunAt }),
  }
}

const activities = select({ count: count('count(*)') })

/** How many activities agents or people are running on. */
export async function countInProgress(ctx: Ctx): Promise<number> {
  const scope = within(ctx.scope, 'tenant_id')
  const row = await activities.get(
    ctx.sql,
    `from activities where ${scope.sql} and status = 'in_progress'`,
    scope.params,
  )
  return row?.count ?? 0
}

function withCampaign<T extends Pick<ActivitySummary, 'campaignId' | 'campaignName'>>(summary: T) {
  const { campaignId: id, campaignName: name } = summary
  return { ...summary, campaign: id === null ? null : { id, name: name ?? '' } }
}
