import type { Transaction } from '../../../kernel/context.ts'

/** Makes a step due for those who wait for it. */
export async function releaseContacts(
  { tx }: Transaction,
  { sequenceId, position, at }: { sequenceId: string; position: number; at: Date },
): Promise<void> {
  await tx.run(
    `update sequence_contacts set next_at = ? where sequence_id = ? and status = 'waiting' and next_position = ? and next_at is null`,
    [at, sequenceId, position],
  )
}
