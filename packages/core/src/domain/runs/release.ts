import { LockMode } from '@mikro-orm/core'
import { command } from '../command.ts'
import type { Ctx } from '../context.ts'
import { Run } from './entities.ts'

/** Leaves a run to an external runtime: no process holds it any more, its deadline does. */
export async function releaseToRuntime(
  ctx: Ctx,
  { runId, attempt }: { runId: string; attempt: number },
): Promise<void> {
  await command(ctx, async (cmd) => {
    const run = await cmd.em.findOneOrFail(Run, { id: runId }, { lockMode: LockMode.PESSIMISTIC_WRITE })
    if (!run.open || run.status !== 'running' || run.attempt !== attempt) return
    run.leaseOwner = null
    run.leaseUntil = run.deadline
  })
}
