import type { Ctx } from '../../../kernel/context.ts'
import { readPage } from '../../../kernel/page-queries.ts'
import { type Condition, equals, type Page, where } from '../../../kernel/paging-queries.ts'
import { within } from '../../../kernel/scope.ts'
import { leftTable, pick, type RowOf, select, table } from '../../../platform/database/read.ts'
import { Tenant } from '../tenants/entities.ts'
import type { ApiKeyItem, ApiKeyQuery, UserItem, UserQuery } from './admin-schemas.ts'
import { keyStatus } from './api-keys.ts'
import { ApiKey, User } from './entities.ts'

const u = table(User, 'u')
const t = leftTable(Tenant, 't')

const user = select({
  ...pick(u, 'id', 'email', 'name', 'role', 'status', 'tenantId'),
  tenantName: t.name,
  lastLoginAt: u.lastLoginAt,
  createdOn: u.createdOn,
})

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
  const from = `from ${u} left join ${t} on t.id = u.tenant_id`
  return readPage(
    ctx,
    {
      select: user,
      from,
      id: u.id,
      rows: where(within(ctx.scope, 'u.tenant_id'), equals(u.tenantId, query['filter.tenantId'])),
      filters: [among, equals(u.role, query['filter.role']), equals(u.status, query['filter.status'])],
      search: { words: query['filter.search'], texts: [u.email, u.name], from },
      request: query,
    },
    (row) => row,
  )
}

const k = table(ApiKey, 'k')

const key = select(
  pick(
    k,
    'id',
    'name',
    'userId',
    'keyPreview',
    'tenantIds',
    'assistantAccess',
    'expiresAt',
    'lastUsedAt',
    'revokedAt',
    'createdOn',
  ),
)

/** API keys without the keys themselves. Serves `GET /admin/v1/api-keys`. */
export function listApiKeys(ctx: Ctx, given: Partial<ApiKeyQuery> = {}): Promise<Page<ApiKeyItem>> {
  const query = { limit: 25, order: 'desc' as const, ...given }
  const now = ctx.clock.now()
  return readPage(
    ctx,
    {
      select: key,
      from: `from ${k} join ${u} on u.id = k.user_id`,
      id: k.id,
      rows: where(within(ctx.scope, 'u.tenant_id'), equals(k.userId, query['filter.userId'])),
      request: query,
    },
    (row) => toItem(row, now),
  )
}

function toItem({ revokedAt, createdOn, ...row }: RowOf<typeof key>, now: number): ApiKeyItem {
  return { ...row, status: keyStatus({ revokedAt, expiresAt: row.expiresAt }, now), createdOn }
}
