import { placeholders, type Sql } from '../../../../platform/database/database.ts'
import { count, like, type RowOf, select, table, text } from '../../../../platform/database/read.ts'
import { Run } from '../entities.ts'

const r = table(Run, 'r')

export const spending = select({ micros: count('sum(r.cost_micros)') })

/** Micro-dollars that a tenant's runs have cost, for one campaign or started since an instant. */
export async function spentBy(
  sql: Sql,
  tenantId: string,
  filter: { campaignId: string } | { since: Date },
): Promise<number> {
  const byCampaign = 'campaignId' in filter
  const row = await spending.get(
    sql,
    `from ${r} where r.tenant_id = ? and ${byCampaign ? 'r.campaign_id = ?' : 'r.started_at >= ?'}`,
    [tenantId, byCampaign ? filter.campaignId : filter.since],
  )
  return row?.micros ?? 0
}

export const inFlight = select({
  agentRole: r.agentRole,
  /** A run that has its prompt has its model. */
  model: text('r.model'),
  /** Micro-dollars so far. */
  spent: r.costMicros,
})
export type RunInFlight = RowOf<typeof inFlight>

/** Runs of a tenant, or of one campaign of it, that have begun and not ended, but for one. */
export function runsInFlight(
  sql: Sql,
  tenantId: string,
  { but, campaignId }: { but: string; campaignId: string | null },
): Promise<RunInFlight[]> {
  return inFlight.all(
    sql,
    `from ${r} where r.open = ? and r.tenant_id = ? and r.status = 'running' and r.prompt is not null and r.id <> ?
       ${campaignId === null ? '' : 'and r.campaign_id = ?'}`,
    [true, tenantId, but, ...(campaignId === null ? [] : [campaignId])],
  )
}

export const dearest = select({ agentRole: r.agentRole, micros: like(r.costMicros, 'max(r.cost_micros)') })

/** Micro-dollars of the dearest run that each of some roles has ended at a tenant; a role without one is absent. */
export async function dearestRuns(
  sql: Sql,
  tenantId: string,
  roles: readonly string[],
): Promise<Map<string, number>> {
  const rows = await dearest.all(
    sql,
    `from ${r} where r.tenant_id = ? and r.open = ? and r.prompt is not null and r.agent_role in (${placeholders(roles)})
     group by r.agent_role`,
    [tenantId, false, ...roles],
  )
  return new Map(rows.map(({ agentRole, micros }) => [agentRole, micros]))
}
