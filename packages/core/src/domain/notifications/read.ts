import { command } from '../command.ts'
import type { Ctx } from '../context.ts'
import { invalid } from '../errors.ts'
import { setRead } from './inbox-queries.ts'
import type { ReadMark, ReadReceipt } from './schemas.ts'

/**
 * Marks the caller's notifications as read: those that are named, or all. Serves `PATCH …/notifications/read`.
 * @throws DomainError `VALIDATION_ERROR` when neither is meant
 */
export function markRead(ctx: Ctx, { ids, markAll }: ReadMark): Promise<ReadReceipt> {
  if (ids === undefined && markAll === false) throw invalid('ids', 'Name the notifications, or mark all')
  return command(ctx, async (cmd) => ({ marked: await setRead(cmd, markAll ? undefined : ids) }))
}
