import { LockMode } from '@mikro-orm/core'
import { lostLease } from '../../platform/jobs/queries.ts'
import { command } from '../command.ts'
import type { Ctx } from '../context.ts'
import { Report } from './entities.ts'
import { type Unwritten, unwrittenReports } from './unwritten-queries.ts'

/**
 * Ends what nobody writes any more as failed, with a reason, so that a reviewer can ask for it again: its job was given up, or
 * is gone. Any number of processes may do it.
 */
export async function giveUpReports(ctx: Ctx): Promise<void> {
  for (const { id } of await unwrittenReports(ctx)) {
    await command(ctx, async (cmd) => {
      const report = await cmd.em.findOne(Report, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE })
      // It may have been written, or asked for again, since.
      const [unwritten] = await unwrittenReports({ ...cmd, sql: cmd.tx }, id)
      if (!report || !unwritten) return
      const after = { status: 'failed' as const, failureReason: reasonOf(unwritten) }
      Object.assign(report, { ...after, updatedOn: cmd.clock.date() })
      cmd.audit({
        tenantId: report.tenantId,
        resourceType: 'report',
        resourceId: id,
        before: { status: 'generating' },
        after,
        action: 'report.fail',
      })
    })
  }
}

/** What went wrong inside names files and tables, which are the operator's alone. */
function reasonOf({ lastFailure }: Unwritten): string {
  if (lastFailure?.error === lostLease)
    return 'The server stopped, or fell silent, each time that the report was written.'
  return 'The report could not be written; the operator of this installation finds why among the failed jobs.'
}
