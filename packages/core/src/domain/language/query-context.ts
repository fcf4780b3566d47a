import {
  createParser,
  type ParsedQuery,
  type Parser,
  type ReadRequest,
  type Vocabulary,
} from '@copydesk/language'
import type { Ctx } from '../../kernel/context.ts'
import { distancesTo, normalize } from '../../kernel/text.ts'
import { isUlid } from '../../platform/clock.ts'
import { type FeedCounts, feedCounts } from '../insight/feed/count-queries.ts'
import { listAgentStates } from '../work/agent-control/review-queries.ts'
import type { ReviewerAgentState } from '../work/agent-control/schemas.ts'
import type { RequestedDays } from './days.ts'
import type { Interpretation } from './interpretation.ts'
import type { PieceFilter } from './piece-filter.ts'
import { listRoles } from './queries.ts'
import { spanPatterns } from './spans.ts'
import { untilPatterns } from './until.ts'

/** Reads what people type; texts are compared as every search compares them. */
export const parser: Parser = createParser({
  normalize,
  distancesTo,
  isId: isUlid,
  spans: spanPatterns,
  until: untilPatterns,
})

/** What stays the same for all that is understood for one request. */
export interface QueryContext {
  ctx: Ctx
  counts: readonly FeedCounts[]
  /** Names that a request may speak of. */
  known: Vocabulary
  /** The agents of the tenants in scope; read when they are first asked for. */
  agents(): Promise<readonly ReviewerAgentState[]>
  /** What an earlier request of the same person speaks of; the newest first. */
  earlier(): AsyncIterable<Interpretation>
}

/** A request as it is understood before anything is looked up. */
export interface LanguageRequest extends ReadRequest {
  /** The days that it speaks of, where it is answered for some. */
  days?: RequestedDays
}

/** Reads who is there: the tenants in scope, and the agents that there can be. */
export async function loadContext(ctx: Ctx): Promise<Omit<QueryContext, 'earlier'>> {
  const [counts, roles] = await Promise.all([feedCounts(ctx), listRoles(ctx)])
  const tenants = parser.indexNames(
    counts.map(({ tenantId, tenantName }) => ({ id: tenantId, name: tenantName })),
  )
  let agents: Promise<readonly ReviewerAgentState[]> | undefined
  return {
    ctx,
    counts,
    known: { tenants, roles },
    agents: () => (agents ??= listAgentStates(ctx).then(({ data }) => data)),
  }
}

/** The same scene for the tenant that a request names, or for all. */
export function scopedTo({ ctx }: Pick<QueryContext, 'ctx'>, { tenants }: ParsedQuery): Ctx {
  const [one] = tenants
  return one ? { ...ctx, scope: [one.id] } : ctx
}

/** What a request narrows pieces down to. */
export function filterOf(ctx: Ctx, { said, slots, days }: LanguageRequest): PieceFilter {
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
export function isNarrowed({ said, slots }: LanguageRequest): boolean {
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
