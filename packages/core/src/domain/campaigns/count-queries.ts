import type { Row, Sql } from '../../platform/database/database.ts'
import { asNumber, placeholders } from '../../platform/database/row.ts'
import type { Scope } from '../context.ts'
import { toUsd } from '../money.ts'
import { within } from '../scope.ts'
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

/**
 * What is counted for each of some campaigns. `pending` is every open activity that no agent is at work on. Approvals are asked
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
  const rows = await sql.all<Row>(
    `select c.id, x.total, x.at_work, x.open, x.done, x.micros,
       (select count(*) from deliverables d where d.campaign_id = c.id) as deliverables,
       (select count(*) from approvals p where p.status = 'pending' and p.campaign_id = c.id) as approvals
     from campaigns c left join (
       select campaign_id, count(*) as total, sum(cost_micros) as micros,
         count(case when status = 'in_progress' then 1 end) as at_work,
         count(case when status not in ('done', 'reassigned', 'failed') then 1 end) as open,
         count(case when status = 'done' then 1 end) as done
       from activities where campaign_id in (${marks}) group by campaign_id
     ) x on x.campaign_id = c.id
     where c.id in (${marks}) and ${tenant.sql}`,
    [...ids, ...ids, ...tenant.params],
  )
  return new Map(rows.map((row) => [row.id as string, toCounts(row)]))
}

function toCounts(row: Row): Counted {
  const inProgress = asNumber(row.at_work)
  return {
    deliverableCount: asNumber(row.deliverables),
    activityCount: {
      total: asNumber(row.total),
      inProgress,
      pending: asNumber(row.open) - inProgress,
      done: asNumber(row.done),
    },
    pendingApprovals: asNumber(row.approvals),
    spentUsd: toUsd(asNumber(row.micros)),
  }
}
