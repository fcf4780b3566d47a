import type { Ctx } from '../context.ts'

/** The token by which the agent of one attempt of a run reports: good until the deadline, and no longer than the run. */
export function taskToken(ctx: Ctx, run: { runId: string; attempt: number; deadline: Date }): string {
  const { runId, attempt, deadline } = run
  const exp = Math.ceil(deadline.getTime() / 1000)
  return ctx.services.tokens.sign('task', { sub: runId, attempt, exp })
}
