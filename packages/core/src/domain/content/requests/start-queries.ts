import type { Command } from '../../context.ts'
import type { DeliverableType } from '../../campaigns/entities.ts'

/** The part of a tenant's running campaigns that makes such pieces today, the oldest campaign's first. */
export async function eligiblePeriod(
  cmd: Command,
  tenantId: string,
  { type, today }: { type: DeliverableType; today: string },
): Promise<{ campaignId: string; deliverableId: string; periodId: string } | undefined> {
  const row = await cmd.tx.get<{ campaign_id: string; deliverable_id: string; period_id: string }>(
    `select c.id as campaign_id, d.id as deliverable_id, p.id as period_id
     from campaigns c join deliverables d on d.campaign_id = c.id join periods p on p.deliverable_id = d.id
     where c.tenant_id = ? and c.status = 'active' and d.type = ? and p.period_start <= ? and p.period_end >= ?
     order by c.id, d.position limit 1`,
    [tenantId, type, today, today],
  )
  return row && { campaignId: row.campaign_id, deliverableId: row.deliverable_id, periodId: row.period_id }
}

/** The number of the next piece that is made beside those that a period promises. */
export async function nextExtraPiece(
  cmd: Command,
  period: { id: string; tenantId: string; target: number },
): Promise<number> {
  const row = await cmd.tx.get<{ last: number | null }>(
    'select max(piece) as last from activities where period_id = ? and tenant_id = ?',
    [period.id, period.tenantId],
  )
  return Math.max(period.target, row?.last ?? 0) + 1
}
