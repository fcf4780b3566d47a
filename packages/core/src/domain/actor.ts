import type { Ctx } from './context.ts'

/** How the one who acts is named in logs, comments and verdicts. */
export function actorName(ctx: Ctx): string {
  return ctx.actor.name ?? ctx.actor.email ?? (ctx.actor.id === 'system' ? 'Copydesk' : ctx.actor.id)
}
