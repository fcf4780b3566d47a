import type { Ctx } from '../../../../kernel/context.ts'
import { notFound } from '../../../../kernel/errors.ts'
import { equals, where } from '../../../../kernel/paging-queries.ts'
import { within } from '../../../../kernel/scope.ts'
import { exists, nullable, pick, select, table } from '../../../../platform/database/read.ts'
import { type AdPlatformName, CampaignMapping } from '../entities.ts'
import { AdChangeSet, AdLimit } from './entities.ts'
import { moreOf } from './facts.ts'
import type { AdAccountLimit, AdLimitList } from './limit-schemas.ts'

const p = table(CampaignMapping, 'p')
const l = table(AdLimit, 'l')
const s = table(AdChangeSet, 's')

const account = select({
  ...pick(p, 'tenantId', 'accountId', 'platform', 'currency'),
  limitCurrency: nullable(l.currency),
  dailyCapMicros: nullable(l.dailyCapMicros),
  updatedOn: nullable(l.updatedOn),
  ...pick(l, 'runningMicros', 'runningOn', 'setByName'),
})
const open = select({
  ...pick(s, 'accountId', 'items'),
  platform: p.platform,
  dailyBudgetMicros: p.dailyBudgetMicros,
})

/** More accounts than these are not listed, and more open sets are not looked through. */
const mostAccounts = 200
const mostSets = 1_000

interface LimitsOf {
  tenantId: string
  campaignId?: string | undefined
  platform?: AdPlatformName | undefined
  accountId?: string | undefined
}

/**
 * What the accounts of a tenant may spend on a day, in the order of their names at the platform, with what runs and what is planned.
 * Serves `GET /tenant/v1/ads/limits` and `GET /admin/v1/tenants/:tenantId/ad-limits`.
 * @throws DomainError `NOT_FOUND` for a tenant that there is not
 */
export async function listAdLimits(
  ctx: Ctx,
  { tenantId, campaignId, platform: at, accountId }: LimitsOf,
): Promise<AdLimitList> {
  const known = where(within(ctx.scope, 'id'), equals('id', tenantId))
  if (!(await exists(ctx.sql, `from tenants where ${known.sql}`, known.params))) throw notFound('tenant')
  const meant = where(
    equals('o.tenant_id', tenantId),
    equals('o.campaign_id', campaignId),
    equals('o.platform', at),
    equals('o.account_id', accountId),
  )
  const rows = await account.all(
    ctx.sql,
    `from ${p} left join ${l} on l.tenant_id = p.tenant_id and l.platform = p.platform and l.account_id = p.account_id
     where p.tenant_id = ? and p.id in (select min(o.id) from campaign_mappings o where ${meant.sql} group by o.platform, o.account_id)
     order by p.account_id, p.platform limit ?`,
    [tenantId, ...meant.params, mostAccounts],
  )
  if (rows.length === 0) return { data: [] }
  const planned = await plannedAt(ctx, tenantId)
  return {
    data: rows.map(({ dailyCapMicros, limitCurrency, setByName, ...row }): AdAccountLimit => {
      // A limit in another currency than the account's is none.
      const dailyLimitMicros = limitCurrency === row.currency ? dailyCapMicros : null
      const plannedMicros = planned.get(keyOf(row)) ?? 0
      const { runningMicros } = row
      const leftMicros =
        dailyLimitMicros === null || runningMicros === null
          ? null
          : dailyLimitMicros - runningMicros - plannedMicros
      const { accountId: id, platform, currency, runningOn, updatedOn } = row
      return {
        accountId: id,
        platform,
        currency,
        dailyLimitMicros,
        runningMicros,
        runningOn,
        plannedMicros,
        leftMicros,
        setBy: setByName,
        updatedOn,
      }
    }),
  }
}

const keyOf = ({ platform, accountId }: { platform: string; accountId: string }) => `${platform} ${accountId}`

/** What open sets would add, by account; the latest ones where there are many. */
async function plannedAt(ctx: Ctx, tenantId: string): Promise<Map<string, number>> {
  const rows = await open.all(
    ctx.sql,
    `from ${s} join ${p} on p.id = s.mapping_id
     where s.tenant_id = ? and s.status in ('planned', 'approved', 'applying', 'unknown') order by s.id desc limit ?`,
    [tenantId, mostSets],
  )
  const sums = new Map<string, number>()
  for (const { items, dailyBudgetMicros, ...at } of rows) {
    const budget = { dailyBudgetMicros, budgetName: null, budgetShared: false }
    const more = items
      .filter(({ state }) => state === 'planned')
      .reduce((sum, item) => sum + (moreOf(item, budget) ?? 0), 0)
    sums.set(keyOf(at), (sums.get(keyOf(at)) ?? 0) + more)
  }
  return sums
}
