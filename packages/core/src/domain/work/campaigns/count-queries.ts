import type { Scope } from '../../../kernel/context.ts'
import { toUsd } from '../../../kernel/money.ts'
import { within } from '../../../kernel/scope.ts'
import { placeholders, type Sql } from '../../../platform/database/database.ts'
import { count, type RowOf, select, table } from '../../../platform/database/read.ts'
import { Campaign } from './entities.ts'
import type { CampaignItem } from './schemas.ts'

export type Counted = Pick<
  CampaignItem,
  'deliverableCount' | 'activityCount' | 'pendingApprovals' | 'spentUsd'
>

export const uncounted: Counted = {
  deliverableCount: 0,
  activityCount: { total: 0, inProgress: 0, pending: 0, done: 0 },
  pendingApprovals: 0,
  spentUsd: 0,
}

const c = table(Campaign, 'c')
const counted = select({
  id: c.id,
  deliverableCount: count('(select count(*) from deliverables d where d.campaign_id = c.id)'),
  pendingApprovals: count(
    "(select count(*) from approvals p where p.status = 'pending' and p.campaign_id = c.id)",
  ),
  total: count('x.total'),
  inProgress: count('x.at_work'),
  open: count('x.open'),
  done: count('x.done'),
  micros: count('x.micros'),
})

/**
 * What is counted for each of some campaigns. `pending` is every open activity that no agent is running on. Approvals are asked
 * for by their campaign alone, which has one tenant: named beside it, the tenant would have SQLite read all that waits there,
 * for each campaign.
 */
export async function countsOf(
  sql: Sql,
  scope: Scope,
  ids: readonly string[],
): Promise<Map<string, Counted>> {
  if (ids.length === 0) return new Map()
  const marks = placeholders(ids)
  const tenant = within(scope, 'c.tenant_id')
  const rows = await counted.all(
    sql,
    `from ${c} left join (
       select campaign_id, count(*) as total, sum(cost_micros) as micros,
         count(case when status = 'in_progress' then 1 end) as at_work,
         count(case when status not in ('done', 'reassigned', 'failed') then 1 end) as open,
         count(case when status = 'done' then 1 end) as done
       from activities where campaign_id in (${marks}) group by campaign_id
     ) x on x.campaign_id = c.id
     where c.id in (${marks}) and ${tenant.sql}`,
    [...ids, ...ids, ...tenant.params],
  )
  return new Map(rows.map((row) => [row.id, toCounts(row)]))
}

function toCounts(row: RowOf<typeof counted>): Counted {
  const { deliverableCount, pendingApprovals, total, inProgress, open, done, micros } = row
  return {
    deliverableCount,
    activityCount: { total, inProgress, pending: open - inProgress, done },
    pendingApprovals,
    spentUsd: toUsd(micros),
  }
}
