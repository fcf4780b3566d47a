import type { Row } from '../../platform/database/database.ts'
import { asNumber } from '../../platform/database/row.ts'
import type { Command } from '../context.ts'

/**
 * Takes the next number of a sequence, from 1. The row stays locked until the commit, and what is rolled back is given
 * out again, so the sequence has no gap.
 */
export async function nextNumber(cmd: Command, sequence: string): Promise<number> {
  const row = await cmd.tx.get<Row>(
    `insert into number_sequences (name, last) values (?, 1)
     on conflict (name) do update set last = number_sequences.last + 1 returning last`,
    [sequence],
  )
  return asNumber(row?.last)
}
