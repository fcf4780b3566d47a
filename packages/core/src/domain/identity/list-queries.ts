import type { Row } from '../../platform/database/database.ts'
import { asDate, asInstant, asJson } from '../../platform/database/row.ts'
import type { Ctx } from '../context.ts'
import { readPage } from '../page-queries.ts'
import { type Condition, equals, type Page, where } from '../paging-queries.ts'
import { within } from '../scope.ts'
import type { ApiKeyItem, ApiKeyQuery, UserItem, UserQuery } from './admin-schemas.ts'
import { keyStatus } from './api-keys.ts'

/** People of tenants and reviewers; super-admins only where that role is asked for. Serves `GET /admin/v1/users`. */
export function listPeople(ctx: Ctx, query: UserQuery): Promise<Page<UserItem>> {
  return listWhere(
    ctx,
    query,
    query['filter.role'] ? undefined : { sql: `u.role <> 'super_admin'`, params: [] },
  )
}

/** Everybody in scope; staff belong to no tenant and are seen by those who see all. */
export function listUsers(ctx: Ctx, given: Partial<UserQuery> = {}): Promise<Page<UserItem>> {
  return listWhere(ctx, { limit: 50, order: 'desc', ...given })
}

function listWhere(ctx: Ctx, query: UserQuery, among?: Condition): Promise<Page<UserItem>> {
  const from = 'from users u left join tenants t on t.id = u.tenant_id'
  return readPage(
    ctx,
    {
      select: `select u.id, u.email, u.name, u.role, u.status, u.tenant_id, t.name as tenant_name, u.last_login_at, u.created_on ${from}`,
      id: 'u.id',
      rows: where(within(ctx.scope, 'u.tenant_id'), equals('u.tenant_id', query['filter.tenantId'])),
      filters: [among, equals('u.role', query['filter.role']), equals('u.status', query['filter.status'])],
      search: { words: query['filter.search'], texts: ['u.email', 'u.name'], from },
      request: query,
    },
    toUser,
  )
}

/** API keys without the keys themselves. Serves `GET /admin/v1/api-keys`. */
export function listApiKeys(ctx: Ctx, given: Partial<ApiKeyQuery> = {}): Promise<Page<ApiKeyItem>> {
  const query = { limit: 25, order: 'desc' as const, ...given }
  const now = ctx.clock.now()
  return readPage(
    ctx,
    {
      select: `select k.id, k.name, k.user_id, k.key_preview, k.tenant_ids, k.assistant_access, k.expires_at, k.revoked_at, k.last_used_at, k.created_on
        from api_keys k join users u on u.id = k.user_id`,
      id: 'k.id',
      rows: where(within(ctx.scope, 'u.tenant_id'), equals('k.user_id', query['filter.userId'])),
      request: query,
    },
    (row: Row) => toKey(row, now),
  )
}

function toUser(row: Row): UserItem {
  return {
    id: row.id as string,
    email: row.email as string,
    name: row.name as string,
    role: row.role as UserItem['role'],
    status: row.status as UserItem['status'],
    tenantId: row.tenant_id as string | null,
    tenantName: row.tenant_name as string | null,
    lastLoginAt: asDate(row.last_login_at),
    createdOn: asInstant(row.created_on),
  }
}

function toKey(row: Row, now: number): ApiKeyItem {
  const expiresAt = asDate(row.expires_at)
  return {
    id: row.id as string,
    name: row.name as string,
    userId: row.user_id as string,
    keyPreview: row.key_preview as string,
    tenantIds: asJson<string[]>(row.tenant_ids),
    assistantAccess: row.assistant_access as ApiKeyItem['assistantAccess'],
    expiresAt,
    lastUsedAt: asDate(row.last_used_at),
    status: keyStatus({ revokedAt: asDate(row.revoked_at), expiresAt }, now),
    createdOn: asInstant(row.created_on),
  }
}
