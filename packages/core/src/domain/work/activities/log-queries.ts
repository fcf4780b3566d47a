import type { Ctx } from '../../../kernel/context.ts'
import { notFound } from '../../../kernel/errors.ts'
import { readPage } from '../../../kernel/page-queries.ts'
import { equals, type Page, where } from '../../../kernel/paging-queries.ts'
import { within } from '../../../kernel/scope.ts'
import { exists, pick, type RowOf, select, table } from '../../../platform/database/read.ts'
import { ActivityLogEntry } from './entities.ts'
import type { LogItem, LogQuery } from './schemas.ts'

const l = table(ActivityLogEntry, 'l')
const entry = select(pick(l, 'id', 'at', 'kind', 'actor', 'message', 'runId', 'data'))

/**
 * What has happened to an activity, oldest first. Serves `GET /dm/v1/activities/:activityId/log`.
 * @throws DomainError `NOT_FOUND`
 */
export async function listLog(
  ctx: Ctx,
  activityId: string,
  query: Partial<LogQuery> = {},
): Promise<Page<LogItem>> {
  const request = { limit: 25, order: 'asc' as const, ...query }
  const scope = within(ctx.scope, 'tenant_id')
  const known = await exists(ctx.sql, `from activities where id = ? and ${scope.sql}`, [
    activityId,
    ...scope.params,
  ])
  if (!known) throw notFound('activity')
  return readPage(
    ctx,
    {
      select: entry,
      from: `from ${l}`,
      id: l.id,
      rows: where(within(ctx.scope, 'l.tenant_id'), equals(l.activityId, activityId)),
      request,
    },
    toItem,
  )
}

function toItem({ runId, data, ...row }: RowOf<typeof entry>): LogItem {
  return { ...row, ...(runId && { runId }), ...(data && { data }) }
}
