import type { Transaction } from '../../../../kernel/context.ts'
import { count, select, table } from '../../../../platform/database/read.ts'
import { Activity } from '../../activities/entities.ts'
import { Campaign, Deliverable, type DeliverableType, Period } from '../../campaigns/entities.ts'

const c = table(Campaign, 'c')
const d = table(Deliverable, 'd')
const p = table(Period, 'p')
const x = table(Activity, 'x')

const eligible = select({ campaignId: c.id, deliverableId: d.id, periodId: p.id })

/** The part of a tenant's running campaigns that makes such pieces today, the oldest campaign's first. */
export function eligiblePeriod(
  txn: Transaction,
  tenantId: string,
  { type, today }: { type: DeliverableType; today: string },
): Promise<{ campaignId: string; deliverableId: string; periodId: string } | undefined> {
  return eligible.get(
    txn.tx,
    `from ${c} join ${d} on d.campaign_id = c.id join ${p} on p.deliverable_id = d.id
     where c.tenant_id = ? and c.status = 'active' and d.type = ? and p.period_start <= ? and p.period_end >= ?
     order by c.id, d.position limit 1`,
    [tenantId, type, today, today],
  )
}

const highest = select({ piece: count('max(x.piece)') })

/** The number of the next piece that is made beside those that a period promises. */
export async function nextExtraPiece(
  txn: Transaction,
  period: { id: string; tenantId: string; target: number },
): Promise<number> {
  const row = await highest.get(txn.tx, `from ${x} where x.period_id = ? and x.tenant_id = ?`, [
    period.id,
    period.tenantId,
  ])
  return Math.max(period.target, row?.piece ?? 0) + 1
}
