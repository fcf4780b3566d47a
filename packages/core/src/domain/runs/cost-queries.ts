import type { Row, Sql } from '../../platform/database/database.ts'
import { asNumber, placeholders } from '../../platform/database/row.ts'

/** Micro-dollars that a tenant's runs have cost, for one campaign or started since an instant. */
export async function spentBy(
  sql: Sql,
  tenantId: string,
  filter: { campaignId: string } | { since: Date },
): Promise<number> {
  const byCampaign = 'campaignId' in filter
  const row = await sql.get<Row>(
    `select coalesce(sum(cost_micros), 0) as micros from runs where tenant_id = ? and ${byCampaign ? 'campaign_id = ?' : 'started_at >= ?'}`,
    [tenantId, byCampaign ? filter.campaignId : filter.since],
  )
  return asNumber(row?.micros)
}

export interface RunInFlight {
  agentRole: string
  model: string
  /** Micro-dollars so far. */
  spent: number
}

/** Runs of a tenant, or of one campaign of it, that have begun and not ended, but for one. */
export async function runsInFlight(
  sql: Sql,
  tenantId: string,
  { but, campaignId }: { but: string; campaignId: string | null },
): Promise<RunInFlight[]> {
  const rows = await sql.all<Row>(
    `select agent_role, model, cost_micros from runs
     where open = ? and tenant_id = ? and status = 'running' and prompt is not null and id <> ?
       ${campaignId === null ? '' : 'and campaign_id = ?'}`,
    [true, tenantId, but, ...(campaignId === null ? [] : [campaignId])],
  )
  return rows.map((row) => ({
    agentRole: row.agent_role as string,
    model: row.model as string,
    spent: asNumber(row.cost_micros),
  }))
}

/** Micro-dollars of the dearest run that each of some roles has ended at a tenant; a role without one is absent. */
export async function dearestRuns(
  sql: Sql,
  tenantId: string,
  roles: readonly string[],
): Promise<Map<string, number>> {
  const rows = await sql.all<Row>(
    `select agent_role, max(cost_micros) as micros from runs
     where tenant_id = ? and open = ? and prompt is not null and agent_role in (${placeholders(roles)})
     group by agent_role`,
    [tenantId, false, ...roles],
  )
  return new Map(rows.map((row) => [row.agent_role as string, asNumber(row.micros)]))
}
