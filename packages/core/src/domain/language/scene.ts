import type { Ctx } from '../context.ts'
import { listAgentStates } from '../agents/review-queries.ts'
import type { ReviewerAgentState } from '../agents/review-schemas.ts'
import { type FeedCounts, feedCounts } from '../feed/count-queries.ts'
import type { PieceFilter } from './piece-queries.ts'
import { takeApart, type Said } from './said.ts'
import { readSlots, type Slots } from './slots.ts'
import type { Reading } from './reading.ts'

/** What stays the same for all that is understood for one request. */
export interface Scene {
  ctx: Ctx
  counts: readonly FeedCounts[]
  agents: readonly ReviewerAgentState[]
  /** What an earlier request of the same person speaks of; the newest first. */
  earlier(): AsyncIterable<Reading>
}

/** A request as it is understood before anything is looked up. */
export interface Request {
  said: Said
  slots: Slots
  /** Why, or what to say along with it; of a task for an agent what it is to do. */
  note?: string
}

/** Reads who is there: the tenants in scope and their agents. */
export async function lookAround(ctx: Ctx): Promise<Pick<Scene, 'ctx' | 'counts' | 'agents'>> {
  const [counts, { data: agents }] = await Promise.all([feedCounts(ctx), listAgentStates(ctx)])
  return { ctx, counts, agents }
}

/** Takes a request apart with the names that exist in the scene. */
export function hear({ counts, agents }: Pick<Scene, 'counts' | 'agents'>, words: string): Said {
  return takeApart(words, {
    tenants: counts.map(({ tenantId, tenantName }) => ({ id: tenantId, name: tenantName })),
    roles: [...new Set(agents.map(({ role }) => role))],
  })
}

/** The same scene for the tenant that a request names, or for all. */
export function within({ ctx }: Pick<Scene, 'ctx'>, { tenants }: Said): Ctx {
  const [one] = tenants
  return one ? { ...ctx, scope: [one.id] } : ctx
}

/** What a request narrows pieces down to. */
export function filterOf(ctx: Ctx, { said, slots }: Request): PieceFilter {
  const now = ctx.clock.now()
  const { expiresWithin, olderThan } = slots
  const endOfDay = new Date(now).setUTCHours(24, 0, 0, 0)
  const expires = expiresWithin === -1 ? endOfDay : now + (expiresWithin ?? 0) * 60_000
  return {
    risks: slots.risks,
    approvalType: slots.approvalType,
    deliverableType: slots.deliverableType,
    agentRoles: said.roles,
    ...(olderThan !== undefined && { before: new Date(now - olderThan * 60_000) }),
    ...(expiresWithin !== undefined && { expiresBefore: new Date(expires) }),
    ...(slots.overdue && { dueBefore: new Date(now) }),
  }
}

/** True when a request narrows pieces down at all. */
export function isNarrowed({ said, slots }: Request): boolean {
  return (
    said.tenants.length > 0 ||
    said.roles.length > 0 ||
    slots.risks.length > 0 ||
    slots.overdue ||
    [slots.olderThan, slots.approvalType, slots.deliverableType, slots.expiresWithin].some(
      (value) => value !== undefined,
    )
  )
}

/** Puts together what words ask for. */
export function toRequest(said: Said, note?: string): Request {
  return { said, slots: readSlots(said), ...(note !== undefined && { note }) }
}
