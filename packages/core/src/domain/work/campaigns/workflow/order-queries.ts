import type { Transaction } from '../../../../kernel/context.ts'
import { placeholders } from '../../../../platform/database/database.ts'
import { exists, select, table } from '../../../../platform/database/read.ts'
import { Activity, closedStatuses } from '../../activities/entities.ts'
import { CampaignOrder, type OrderKind } from './entities.ts'

const o = table(CampaignOrder, 'o')
const x = table(Activity, 'x')
const open = select({ activityId: o.activityId })

/** The activity of an order of a campaign that is not closed. */
export async function openOrderId(
  txn: Transaction,
  campaignId: string,
  kind: OrderKind,
): Promise<string | undefined> {
  const row = await open.get(
    txn.tx,
    `from ${o} join ${x} on x.id = o.activity_id
     where o.campaign_id = ? and o.kind = ? and x.status not in (${placeholders(closedStatuses)}) limit 1`,
    [campaignId, kind, ...closedStatuses],
  )
  return row?.activityId
}

/** Whether something of a kind was ever ordered for a campaign. */
export function wasOrdered(txn: Transaction, campaignId: string, kind: OrderKind): Promise<boolean> {
  return exists(txn.tx, 'from campaign_orders where campaign_id = ? and kind = ?', [campaignId, kind])
}
