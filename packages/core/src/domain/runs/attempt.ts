import type { Ctx } from '../context.ts'
import type { RunRow } from './entities.ts'

/** Which attempt of the run the caller is. */
export const attemptOf = (ctx: Ctx, run: RunRow): number => ctx.actor.attempt ?? run.attempt

/** True while this attempt of the run may still act: it was not fenced off. */
export function isAtWork(ctx: Ctx, run: RunRow): boolean {
  const attempt = attemptOf(ctx, run)
  return run.open && run.fence < attempt && attempt <= run.attempt
}
