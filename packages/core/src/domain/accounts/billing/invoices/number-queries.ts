import type { Transaction } from '../../../../kernel/context.ts'
import { select, table } from '../../../../platform/database/read.ts'
import { NumberSequence } from './entities.ts'

const given = select({ last: table(NumberSequence, 'number_sequences').last })

/**
 * Takes the next number of a sequence, from 1. The row stays locked until the commit, and what is rolled back is given
 * out again, so the sequence has no gap.
 */
export async function nextNumber(txn: Transaction, sequence: string): Promise<number> {
  const [row] = await given.allOf(
    txn.tx,
    `insert into number_sequences (name, last) values (?, 1)
     on conflict (name) do update set last = number_sequences.last + 1 returning ${given.columns}`,
    [sequence],
  )
  return row?.last ?? 0
}
