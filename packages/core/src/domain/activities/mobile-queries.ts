import type { Row } from '../../platform/database/database.ts'
import { asDate } from '../../platform/database/row.ts'
import type { ApprovalStatus, ApprovalType } from '../approvals/entities.ts'
import { preview } from '../content/preview.ts'
import type { Ctx } from '../context.ts'
import { notFound } from '../errors.ts'
import { equals, readOffset, where } from '../paging-queries.ts'
import { within } from '../scope.ts'
import type { MobileActivity, MobileActivityPage, MobileActivityQuery } from './mobile-schemas.ts'
import { summarySelect, toSummary } from './queries.ts'
import type { ActivitySummary } from './schemas.ts'

/** A tenant's activities in few words, newest first. Serves `GET /mobile/v1/activities`. */
export async function listForApp(ctx: Ctx, query: MobileActivityQuery): Promise<MobileActivityPage> {
  return readOffset(
    ctx.sql,
    {
      select: summarySelect,
      from: 'activities x',
      condition: where(
        within(ctx.scope, 'x.tenant_id'),
        equals('x.status', query['filter.status']),
        equals('x.campaign_id', query['filter.campaignId']),
      ),
      orderBy: 'x.id desc',
      request: query,
    },
    (row: Row) => withCampaign(toSummary(row)),
  )
}

/**
 * One activity with the beginning of its newest text. Serves `GET /mobile/v1/activities/:activityId`.
 * @throws DomainError `NOT_FOUND`
 */
export async function getForApp(ctx: Ctx, id: string): Promise<MobileActivity> {
  const condition = where(within(ctx.scope, 'x.tenant_id'), equals('x.id', id))
  const row = await ctx.sql.get<Row>(`${summarySelect} where ${condition.sql}`, condition.params)
  if (!row) throw notFound('activity')
  const more = await ctx.sql.get<Row>(
    `select o.id as output_id, o.text, p.type as approval_type, p.status as approval_status,
       (select max(r.started_at) from runs r where r.activity_id = x.id) as last_run_at
     from activities x
     left join outputs o on o.activity_id = x.id
       and o.version = (select max(version) from outputs where activity_id = x.id)
     left join approvals p on p.id = ?
     where ${condition.sql}`,
    [(row.approval_id as string | null) ?? null, ...condition.params],
  )
  const { approvalId, ...summary } = toSummary(row)
  const lastRunAt = asDate(more?.last_run_at)
  return {
    ...withCampaign(summary),
    ...(more?.output_id
      ? { outputRef: more.output_id as string, outputPreview: preview(more.text as string, 500) }
      : {}),
    ...(approvalId !== undefined && more?.approval_type
      ? {
          approval: {
            id: approvalId,
            type: more.approval_type as ApprovalType,
            status: more.approval_status as ApprovalStatus,
          },
        }
      : {}),
    ...(lastRunAt && { lastRunAt }),
  }
}

/** How many activities agents or people are at work on. */
export async function countInProgress(ctx: Ctx): Promise<number> {
  const scope = within(ctx.scope, 'tenant_id')
  const row = await ctx.sql.get<{ n: unknown }>(
    `select count(*) as n from activities where ${scope.sql} and status = 'in_progress'`,
    scope.params,
  )
  return Number(row?.n ?? 0)
}

function withCampaign<T extends Pick<ActivitySummary, 'campaignId' | 'campaignName'>>(summary: T) {
  const { campaignId: id, campaignName: name } = summary
  return { ...summary, campaign: id === null ? null : { id, name: name ?? '' } }
}
