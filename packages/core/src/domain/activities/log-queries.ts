import type { Row } from '../../platform/database/database.ts'
import { asInstant, asJson } from '../../platform/database/row.ts'
import type { Ctx } from '../context.ts'
import { notFound } from '../errors.ts'
import { readPage } from '../page-queries.ts'
import { equals, type Page, where } from '../paging-queries.ts'
import { within } from '../scope.ts'
import type { LogItem, LogQuery } from './schemas.ts'

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
  const known = await ctx.sql.get(`select 1 as one from activities where id = ? and ${scope.sql}`, [
    activityId,
    ...scope.params,
  ])
  if (!known) throw notFound('activity')
  return readPage(
    ctx,
    {
      select: 'select l.id, l.at, l.kind, l.actor, l.message, l.run_id, l.data from activity_log l',
      id: 'l.id',
      rows: where(within(ctx.scope, 'l.tenant_id'), equals('l.activity_id', activityId)),
      request,
    },
    toItem,
  )
}

function toItem(row: Row): LogItem {
  const data = asJson<Record<string, unknown>>(row.data)
  return {
    id: row.id as string,
    at: asInstant(row.at),
    kind: row.kind as string,
    actor: row.actor as string,
    message: row.message as string,
    ...(row.run_id ? { runId: row.run_id as string } : {}),
    ...(data && { data }),
  }
}
