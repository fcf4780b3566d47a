import { LockMode } from '@mikro-orm/core'
import { command } from '../command.ts'
import type { Ctx } from '../context.ts'
import { Run } from './entities.ts'
import { handOver } from './lease.ts'

/** Leaves a run to an external runtime that has taken it: no process holds it any more, its deadline does. */
export async function releaseToRuntime(
  ctx: Ctx,
  { runId, attempt }: { runId: string; attempt: number },
): Promise<void> {
  await command(ctx, async (cmd) => {
    const run = await cmd.em.findOneOrFail(Run, { id: runId }, { lockMode: LockMode.PESSIMISTIC_WRITE })
    const isOurs = run.open && run.status === 'running' && run.attempt === attempt
    if (isOurs && run.handedOverAt === null) await handOver(cmd, run)
  })
}
