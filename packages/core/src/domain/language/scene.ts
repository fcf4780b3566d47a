import { listAgentStates } from '../agents/review-queries.ts'
import type { ReviewerAgentState } from '../agents/review-schemas.ts'
import type { Ctx } from '../context.ts'
import { type FeedCounts, feedCounts } from '../feed/count-queries.ts'
import type { RequestedDays } from './days.ts'
import { indexNames } from './name-index.ts'
import type { PieceFilter } from './piece-queries.ts'
import type { Reading } from './reading.ts'
import { listRoles } from './role-queries.ts'
import { type Said, takeApart, type Vocabulary } from './said.ts'
import { readSlots, type Slots } from './slots.ts'

/** What stays the same for all that is understood for one request. */
export interface Scene {
  ctx: Ctx
  counts: readonly FeedCounts[]
  /** Names that a request may speak of. */
  known: Vocabulary
  /** The agents of the tenants in scope; read when they are first asked for. */
  agents(): Promise<readonly ReviewerAgentState[]>
  /** What an earlier request of the same person speaks of; the newest first. */
  earlier(): AsyncIterable<Reading>
}

/** A request as it is understood before anything is looked up. */
export interface Request {
  said: Said
  slots: Slots
  /** Why, or what to say along with it; of a task for an agent what it is to do. */
  note?: string
  /** The days that it speaks of, where it is answered for some. */
  days?: RequestedDays
}

/** Reads who is there: the tenants in scope, and the agents that there can be. */
export async function lookAround(ctx: Ctx): Promise<Omit<Scene, 'earlier'>> {
  const [counts, roles] = await Promise.all([feedCounts(ctx), listRoles(ctx)])
  const tenants = indexNames(counts.map(({ tenantId, tenantName }) => ({ id: tenantId, name: tenantName })))
  let agents: Promise<readonly ReviewerAgentState[]> | undefined
  return {
    ctx,
    counts,
    known: { tenants, roles },
    agents: () => (agents ??= listAgentStates(ctx).then(({ data }) => data)),
  }
}

/** Takes a request apart with the names that exist in the scene. */
export function hear({ known }: Pick<Scene, 'known'>, words: string): Said {
  return takeApart(words, known)
}

/** The same scene for the tenant that a request names, or for all. */
export function within({ ctx }: Pick<Scene, 'ctx'>, { tenants }: Said): Ctx {
  const [one] = tenants
  return one ? { ...ctx, scope: [one.id] } : ctx
}

/** What a request narrows pieces down to. */
export function filterOf(ctx: Ctx, { said, slots, days }: Request): PieceFilter {
  const now = ctx.clock.now()
  const { expiresWithin, olderThan } = slots
  const endOfDay = new Date(now).setUTCHours(24, 0, 0, 0)
  const expires = expiresWithin === -1 ? endOfDay : now + (expiresWithin ?? 0) * 60_000
  return {
    risks: slots.risks,
    approvalType: slots.approvalType,
    deliverableType: slots.deliverableType,
    agentRoles: said.roles,
    ...(days && { from: days.startsAt, before: days.endsAt }),
    ...(olderThan !== undefined && { before: new Date(now - olderThan * 60_000) }),
    ...(expiresWithin !== undefined && { expiresBefore: new Date(expires) }),
    ...(slots.paused && { held: true as const }),
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
