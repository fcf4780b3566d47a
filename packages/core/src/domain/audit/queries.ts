import { firstIdAt } from '../../platform/clock.ts'
import type { Row } from '../../platform/database/database.ts'
import { asInstant, asJson, asNumber } from '../../platform/database/row.ts'
import { checkInstant } from '../check.ts'
import type { Ctx, GivenConsent } from '../context.ts'
import { notFound } from '../errors.ts'
import { tenantStatus } from '../identity/queries.ts'
import { readPage } from '../page-queries.ts'
import { equals, type Page, where } from '../paging-queries.ts'
import { within } from '../scope.ts'
import type { AuditItem, AuditQuery } from './schemas.ts'

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
      select: `select a.*, u.name as actor_name from audit_records a left join users u on u.id = a.actor_id`,
      id: 'a.id',
      rows: where(within(ctx.scope, 'a.tenant_id'), equals('a.tenant_id', given.tenantId)),
      filters: [
        equals('a.actor_type', query['filter.actorType']),
        equals('a.action', query['filter.action']),
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

function toItem(row: Row): AuditItem {
  return {
    id: row.id as string,
    action: row.action as string,
    actor: {
      id: row.actor_id as string,
      type: row.actor_type as AuditItem['actor']['type'],
      name: (row.actor_name ?? null) as string | null,
    },
    impersonating: row.impersonating as string | null,
    assistant: row.assistant as string | null,
    consent: asJson<GivenConsent>(row.consent),
    tenantId: row.tenant_id as string | null,
    requestId: row.request_id as string,
    surface: row.surface as string,
    method: row.method as string,
    path: row.path as string,
    resourceType: row.resource_type as string,
    resourceId: row.resource_id as string | null,
    before: asJson<unknown>(row.before),
    after: asJson<unknown>(row.after),
    status: asNumber(row.status),
    durationMs: asNumber(row.duration_ms),
    createdOn: asInstant(row.created_at),
  }
}
