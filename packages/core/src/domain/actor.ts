import type { Ctx } from './context.ts'

/** True for a human being, also one who acts through a program; not for agents and for Copydesk itself. */
export function isPerson({ actor }: Ctx): boolean {
  return actor.type !== 'agent' && actor.id !== 'system'
}

/** How the one who acts is named in logs, comments and verdicts. */
export function actorName(ctx: Ctx): string {
  return ctx.actor.name ?? ctx.actor.email ?? (ctx.actor.id === 'system' ? 'Copydesk' : ctx.actor.id)
}
