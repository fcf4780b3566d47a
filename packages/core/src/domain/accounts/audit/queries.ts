import { checkInstant } from '../../../kernel/check.ts'
import type { Ctx } from '../../../kernel/context.ts'
import { AuditRecord } from '../../../kernel/entities.ts'
import { notFound } from '../../../kernel/errors.ts'
import { readPage } from '../../../kernel/page-queries.ts'
import { equals, type Page, where } from '../../../kernel/paging-queries.ts'
import { within } from '../../../kernel/scope.ts'
import { firstIdAt } from '../../../platform/clock.ts'
import { leftTable, pick, type RowOf, select, table } from '../../../platform/database/read.ts'
import { User } from '../identity/entities.ts'
import { tenantStatus } from '../identity/queries.ts'
import type { AuditItem, AuditQuery } from './schemas.ts'

const a = table(AuditRecord, 'a')
const u = leftTable(User, 'u')

const act = select({
  ...pick(a, 'id', 'action', 'actorId', 'actorType'),
  actorName: u.name,
  ...pick(
    a,
    'impersonating',
    'assistant',
    'consent',
    'tenantId',
    'requestId',
    'surface',
    'method',
    'path',
    'resourceType',
    'resourceId',
    'before',
    'after',
    'status',
    'durationMs',
  ),
  createdOn: a.createdAt,
})

export interface AuditFilter extends Partial<AuditQuery> {
  tenantId?: string
  /** Only what happened then or later. */
  since?: Date
}

/** Acts on the record within the scope, newest first unless asked otherwise. */
export function listAudit(ctx: Ctx, given: AuditFilter = {}): Promise<Page<AuditItem>> {
  const query = { limit: 25, order: 'desc' as const, ...given }
  const { since } = given
  checkInstant('since', since)
  return readPage(
    ctx,
    {
      select: act,
      from: `from ${a} left join ${u} on u.id = a.actor_id`,
      id: a.id,
      rows: where(within(ctx.scope, 'a.tenant_id'), equals(a.tenantId, given.tenantId)),
      filters: [
        equals(a.actorType, query['filter.actorType']),
        equals(a.action, query['filter.action']),
        // The ids are in the order of time: what is older is not even looked at.
        since && { sql: 'a.id >= ? and a.created_at >= ?', params: [firstIdAt(since), since] },
      ],
      request: query,
    },
    toItem,
  )
}

/**
 * What has been done at one tenant, by whomever. Serves `GET /admin/v1/tenants/:tenantId/audit-log`.
 * @throws DomainError `NOT_FOUND`
 */
export async function tenantAudit(ctx: Ctx, tenantId: string, query: AuditQuery): Promise<Page<AuditItem>> {
  const visible = ctx.scope === 'all' || ctx.scope.includes(tenantId)
  if (!visible || (await tenantStatus(ctx.sql, tenantId)) === undefined) throw notFound('tenant')
  return listAudit(ctx, { ...query, tenantId })
}

function toItem(row: RowOf<typeof act>): AuditItem {
  const { id, action, actorId, actorType, actorName, ...rest } = row
  return { id, action, actor: { id: actorId, type: actorType, name: actorName }, ...rest }
}
