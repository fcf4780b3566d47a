import type { Row, Sql } from '../../platform/database/database.ts'
import { asNumber } from '../../platform/database/row.ts'

/** Micro-dollars that a tenant's runs have cost, for one campaign or since an instant. */
export async function spentBy(
  sql: Sql,
  tenantId: string,
  filter: { campaignId: string } | { since: Date },
): Promise<number> {
  const byCampaign = 'campaignId' in filter
  const row = await sql.get<Row>(
    `select coalesce(sum(cost_micros), 0) as micros from runs where tenant_id = ? and ${byCampaign ? 'campaign_id = ?' : 'created_on >= ?'}`,
    [tenantId, byCampaign ? filter.campaignId : filter.since],
  )
  return asNumber(row?.micros)
}
