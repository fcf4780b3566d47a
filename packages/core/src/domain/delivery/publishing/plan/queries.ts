import type { Transaction } from '../../../../kernel/context.ts'
import { pick, select, table } from '../../../../platform/database/read.ts'
import { Publication } from '../entities.ts'

const p = table(Publication, 'p')

const times = select(pick(p, 'scheduledFor'))

/** The instants at which something waits to go out on a channel, milliseconds. */
export async function takenTimes(
  txn: Transaction,
  channelId: string,
  { from, to }: { from: Date; to: Date },
): Promise<ReadonlySet<number>> {
  const rows = await times.all(
    txn.tx,
    `from ${p} where p.channel_id = ? and p.published_at is null and p.status <> 'cancelled' and p.scheduled_for between ? and ?`,
    [channelId, from, to],
  )
  return new Set(rows.map(({ scheduledFor }) => scheduledFor.getTime()))
}
