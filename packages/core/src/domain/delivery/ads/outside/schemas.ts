import { z } from 'zod'
import { isoDate, ulid } from '../../../../platform/wire.ts'

const value = z.union([z.number(), z.string()]).nullable()

/** What was changed at the platform by others than change sets of ours. */
export const OutsideChangeItem = z.object({
  id: ulid,
  at: isoDate,
  /** Who has done it, as the platform names them; null where it does not. */
  who: z.string().nullable(),
  /** By which program, in the words of the platform. */
  via: z.string().nullable(),
  currency: z.string(),
  /** Amounts are in millionths of the currency; null is nothing, or what the platform does not tell. */
  changes: z.array(z.object({ label: z.string(), before: value, after: value })),
})
export type OutsideChangeItem = z.output<typeof OutsideChangeItem>
