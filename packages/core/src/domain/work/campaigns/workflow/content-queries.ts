import type { Ctx } from '../../../../kernel/context.ts'
import { notFound } from '../../../../kernel/errors.ts'
import { readPage } from '../../../../kernel/page-queries.ts'
import { equals, type Page, where } from '../../../../kernel/paging-queries.ts'
import { within } from '../../../../kernel/scope.ts'
import { preview } from '../../../../kernel/text.ts'
import {
  exists,
  leftTable,
  nullable,
  pick,
  type RowOf,
  select,
  table,
  text,
} from '../../../../platform/database/read.ts'
import { Activity } from '../../activities/entities.ts'
import { BlogPost } from '../../content/blog/entities.ts'
import { Output } from '../../content/entities.ts'
import { segmentsOf } from './audience-queries.ts'
import type { AudienceSegment } from './audience-schemas.ts'
import type { CampaignContentQuery, ContentItem } from './content-schemas.ts'

const x = table(Activity, 'x')
const o = leftTable(Output, 'o')
const b = leftTable(BlogPost, 'b')

/** How much of a text a list shows, characters. */
const shownChars = 500

const item = select({
  ...pick(x, 'id', 'title', 'type', 'deliverableType', 'status', 'agentRole', 'createdOn', 'completedAt'),
  version: o.version,
  format: o.format,
  writtenOn: o.createdOn,
  beginning: nullable(text(`substr(o.text, 1, ${shownChars})`)),
  postId: b.id,
  postTitle: b.title,
  postStatus: b.status,
})
const tables = `from activities x
  left join outputs o on o.activity_id = x.id and o.version = (select max(n.version) from outputs n where n.activity_id = x.id)
  left join blog_posts b on b.activity_id = x.id`

/**
 * The activities of a campaign with what they have made, newest first. Serves `GET /tenant/v1/campaigns/:campaignId/content`.
 * @throws DomainError `NOT_FOUND`
 */
export async function listContent(
  ctx: Ctx,
  campaignId: string,
  query: CampaignContentQuery,
): Promise<Page<ContentItem>> {
  await requireCampaign(ctx, campaignId)
  const rows = where(within(ctx.scope, 'x.tenant_id'), equals(x.campaignId, campaignId))
  return readPage(ctx, { select: item, from: tables, id: x.id, rows, request: query }, toItem)
}

/** One activity of a campaign as it stands in the list. @throws DomainError `NOT_FOUND` */
export async function contentItem(ctx: Ctx, campaignId: string, activityId: string): Promise<ContentItem> {
  const condition = where(
    within(ctx.scope, 'x.tenant_id'),
    equals(x.campaignId, campaignId),
    equals(x.id, activityId),
  )
  const row = await item.get(ctx.sql, `${tables} where ${condition.sql}`, condition.params)
  if (!row) throw notFound('activity')
  return toItem(row)
}

/**
 * The groups of people that a campaign speaks to, oldest first. Serves `GET /tenant/v1/campaigns/:campaignId/audience`.
 * @throws DomainError `NOT_FOUND`
 */
export async function listSegments(ctx: Ctx, campaignId: string): Promise<{ data: AudienceSegment[] }> {
  await requireCampaign(ctx, campaignId)
  return { data: await segmentsOf(ctx, campaignId) }
}

async function requireCampaign(ctx: Ctx, id: string): Promise<void> {
  const known = where(within(ctx.scope, 'tenant_id'), equals('id', id))
  if (!(await exists(ctx.sql, `from campaigns where ${known.sql}`, known.params))) throw notFound('campaign')
}

function toItem(row: RowOf<typeof item>): ContentItem {
  const { version, format, writtenOn, beginning, postId, postTitle, postStatus, ...activity } = row
  return {
    ...activity,
    outputSummary:
      version === null || format === null || writtenOn === null
        ? null
        : { version, format, preview: preview(beginning ?? '', shownChars), createdOn: writtenOn },
    content:
      postId === null || postTitle === null || postStatus === null
        ? null
        : { kind: 'blog_post', id: postId, title: postTitle, status: postStatus },
  }
}
