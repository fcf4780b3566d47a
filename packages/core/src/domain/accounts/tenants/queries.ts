import type { Ctx } from '../../../kernel/context.ts'
import { notFound } from '../../../kernel/errors.ts'
import { toUsd } from '../../../kernel/money.ts'
import { readPage } from '../../../kernel/page-queries.ts'
import { equals, type Page, where } from '../../../kernel/paging-queries.ts'
import { monthStart } from '../../../kernel/periods.ts'
import { within } from '../../../kernel/scope.ts'
import { firstIdAt } from '../../../platform/clock.ts'
import {
  count,
  instant,
  nullable,
  pick,
  type RowOf,
  select,
  table,
  text,
} from '../../../platform/database/read.ts'
import { Tenant } from './entities.ts'
import type { TenantItem, TenantQuery, TenantSummary } from './schemas.ts'

const t = table(Tenant, 't')
const from = `from ${t}`

const summary = select({
  ...pick(
    t,
    'id',
    'name',
    'domain',
    'plan',
    'status',
    'timezone',
    'spendCapMicros',
    'featureFlags',
    'createdOn',
  ),
  trialEndsAt: nullable(
    instant(
      "(select s.trial_ends_at from subscriptions s where s.tenant_id = t.id and s.status = 'trialing')",
    ),
  ),
  agents: count(
    "(select count(*) from tenant_agents a where a.tenant_id = t.id and a.status <> 'terminated')",
  ),
  users: count("(select count(*) from users u where u.tenant_id = t.id and u.status <> 'deactivated')"),
  campaigns: count("(select count(*) from campaigns c where c.tenant_id = t.id and c.status <> 'archived')"),
})
type Summary = RowOf<typeof summary>

/** Tenants in scope with what they use. Serves `GET /admin/v1/tenants`. */
export async function listTenants(ctx: Ctx, given: Partial<TenantQuery> = {}): Promise<Page<TenantItem>> {
  const query = { limit: 25, order: 'desc' as const, ...given }
  const found = await readPage(
    ctx,
    {
      select: summary,
      from,
      id: t.id,
      rows: within(ctx.scope, 't.id'),
      filters: [equals(t.status, query['filter.status']), equals(t.plan, query['filter.plan'])],
      search: { words: query.search, texts: [t.name, t.domain], from, typos: true },
      request: query,
    },
    (row) => row,
  )
  const spent = await spentThisMonth(ctx, found.data)
  return { ...found, data: found.data.map((row) => toItem(row, spent.get(row.id) ?? 0)) }
}

/** One tenant as lists show it, with its flags. @throws DomainError `NOT_FOUND` */
export async function tenantSummary(ctx: Ctx, tenantId: string): Promise<TenantSummary> {
  const condition = where(within(ctx.scope, 't.id'), equals(t.id, tenantId))
  const row = await summary.get(ctx.sql, `${from} where ${condition.sql}`, condition.params)
  if (!row) throw notFound('tenant')
  const spent = await spentThisMonth(ctx, [row])
  return { ...toItem(row, spent.get(tenantId) ?? 0), featureFlags: row.featureFlags }
}

const spending = select({ tenantId: text('r.tenant_id'), micros: count('sum(r.cost_micros)') })

/** Micro-dollars by tenant; each month begins in the tenant's own zone. */
async function spentThisMonth(
  ctx: Ctx,
  tenants: ReadonlyArray<Pick<Summary, 'id' | 'timezone'>>,
): Promise<ReadonlyMap<string, number>> {
  if (tenants.length === 0) return new Map()
  const months = tenants.map(({ id, timezone }) => {
    const since = monthStart(ctx.clock.date(), timezone)
    // Ids are in the order of time: older runs are not even looked at.
    return { sql: 'tenant_id = ? and id >= ? and created_on >= ?', params: [id, firstIdAt(since), since] }
  })
  const rows = await spending.all(
    ctx.sql,
    `from runs r where ${months.map(({ sql }) => `(${sql})`).join(' or ')} group by tenant_id`,
    months.flatMap(({ params }) => params),
  )
  return new Map(rows.map(({ tenantId, micros }) => [tenantId, micros]))
}

function toItem(row: Summary, spentMicros: number): TenantItem {
  const { id, name, domain, plan, status, spendCapMicros, trialEndsAt, createdOn } = row
  return {
    id,
    name,
    domain,
    plan,
    status,
    monthlySpendUsd: toUsd(spentMicros),
    spendCapUsd: spendCapMicros === null ? null : toUsd(spendCapMicros),
    agentCount: row.agents,
    userCount: row.users,
    campaignCount: row.campaigns,
    ...(trialEndsAt && { trialEndsAt }),
    createdOn,
  }
}
