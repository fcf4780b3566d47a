import { retryActivity } from '../activities/retry.ts'
import { command } from '../command.ts'
import type { Ctx } from '../context.ts'
import { DomainError, notFound } from '../errors.ts'
import { findDeadLetter } from './dead-letter-queries.ts'
import type { DeadLetter } from './queue-schemas.ts'

/** One dead letter with its history. @throws DomainError `NOT_FOUND` */
export async function getDeadLetter(ctx: Ctx, id: string): Promise<DeadLetter> {
  const letter = await findDeadLetter(ctx, id)
  if (!letter) throw notFound('dead letter')
  return letter
}

/**
 * Tries again what was given up: the activity of a run gets a new one, a job has all its attempts once more.
 * @returns the id of the run or job that waits now
 * @throws DomainError `NOT_FOUND`; `CONFLICT` when the same work waits already; for a run see `retryActivity`
 */
export async function retryDeadLetter(
  ctx: Ctx,
  id: string,
): Promise<{ kind: 'run' | 'job'; id: string; name: string }> {
  const { kind, name, activityId, tenantId } = await getDeadLetter(ctx, id)
  if (activityId !== null) return { kind, name, id: (await retryActivity(ctx, activityId)).runId }
  await command(ctx, async (cmd) => {
    if (!(await cmd.services.jobs.retry(id, cmd.tx)))
      throw new DomainError('CONFLICT', 'It was tried again meanwhile, or the same work waits already')
    cmd.audit({ tenantId, resourceType: 'job', resourceId: id, after: { kind: name, status: 'waiting' } })
  })
  ctx.services.jobs.poke()
  return { kind, name, id }
}
