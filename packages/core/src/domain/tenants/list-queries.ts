import { firstIdAt } from '../../platform/clock.ts'
import type { Row } from '../../platform/database/database.ts'
import { asDate, asInstant, asJson, asNumber } from '../../platform/database/row.ts'
import { monthStart } from '../campaigns/periods.ts'
import type { Ctx } from '../context.ts'
import { notFound } from '../errors.ts'
import { toUsd } from '../money.ts'
import { readPage } from '../page-queries.ts'
import { equals, type Page, where } from '../paging-queries.ts'
import { within } from '../scope.ts'
import type { TenantStatus } from './entities.ts'
import type { TenantItem, TenantQuery, TenantSummary } from './schemas.ts'

const columns = `select t.id, t.name, t.domain, t.plan, t.status, t.timezone, t.spend_cap_micros, t.feature_flags, t.created_on,
  (select s.trial_ends_at from subscriptions s where s.tenant_id = t.id and s.status = 'trialing') as trial_ends_at,
  (select count(*) from tenant_agents a where a.tenant_id = t.id and a.status <> 'terminated') as agents,
  (select count(*) from users u where u.tenant_id = t.id and u.status <> 'deactivated') as users,
  (select count(*) from campaigns c where c.tenant_id = t.id and c.status <> 'archived') as campaigns
  from tenants t`

/** Tenants in scope with what they use. Serves `GET /admin/v1/tenants`. */
export async function listTenants(ctx: Ctx, given: Partial<TenantQuery> = {}): Promise<Page<TenantItem>> {
  const query = { limit: 25, order: 'desc' as const, ...given }
  const found = await readPage<Row, { id: string; row: Row }>(
    ctx,
    {
      select: columns,
      id: 't.id',
      rows: within(ctx.scope, 't.id'),
      filters: [equals('t.status', query['filter.status']), equals('t.plan', query['filter.plan'])],
      search: { words: query.search, texts: ['t.name', 't.domain'], from: 'from tenants t', typos: true },
      request: query,
    },
    (row) => ({ id: row.id as string, row }),
  )
  const spent = await spentThisMonth(ctx, found.data)
  return { ...found, data: found.data.map(({ id, row }) => toItem(row, spent.get(id) ?? 0)) }
}

/** One tenant as lists show it, with its flags. @throws DomainError `NOT_FOUND` */
export async function tenantSummary(ctx: Ctx, tenantId: string): Promise<TenantSummary> {
  const condition = where(within(ctx.scope, 't.id'), equals('t.id', tenantId))
  const row = await ctx.sql.get<Row>(`${columns} where ${condition.sql}`, condition.params)
  if (!row) throw notFound('tenant')
  const spent = await spentThisMonth(ctx, [{ id: tenantId, row }])
  return {
    ...toItem(row, spent.get(tenantId) ?? 0),
    featureFlags: asJson<Record<string, boolean>>(row.feature_flags) ?? {},
  }
}

/** Micro-dollars by tenant; each month begins in the tenant's own zone. */
async function spentThisMonth(
  ctx: Ctx,
  tenants: ReadonlyArray<{ id: string; row: Row }>,
): Promise<ReadonlyMap<string, number>> {
  if (tenants.length === 0) return new Map()
  const months = tenants.map(({ id, row }) => {
    const since = monthStart(ctx.clock.date(), row.timezone as string)
    // Ids are in the order of time: older runs are not even looked at.
    return { sql: 'tenant_id = ? and id >= ? and created_on >= ?', params: [id, firstIdAt(since), since] }
  })
  const rows = await ctx.sql.all<Row>(
    `select tenant_id, sum(cost_micros) as micros from runs where ${months.map(({ sql }) => `(${sql})`).join(' or ')}
     group by tenant_id`,
    months.flatMap(({ params }) => params),
  )
  return new Map(rows.map((row) => [row.tenant_id as string, asNumber(row.micros)]))
}

function toItem(row: Row, spentMicros: number): TenantItem {
  const cap = row.spend_cap_micros
  const trialEndsAt = asDate(row.trial_ends_at)
  return {
    id: row.id as string,
    name: row.name as string,
    domain: row.domain as string | null,
    plan: row.plan as string,
    status: row.status as TenantStatus,
    monthlySpendUsd: toUsd(spentMicros),
    spendCapUsd: cap === null || cap === undefined ? null : toUsd(asNumber(cap)),
    agentCount: asNumber(row.agents),
    userCount: asNumber(row.users),
    campaignCount: asNumber(row.campaigns),
    ...(trialEndsAt && { trialEndsAt }),
    createdOn: asInstant(row.created_on),
  }
}
