import type { Ctx } from '../../../kernel/context.ts'
import type { StoredEvent } from '../../../platform/events/events.ts'
import { agentError } from '../../agents/configuration/events.ts'
import { activityBlocked, activityCompleted, activityStarted } from '../../work/activities/events.ts'
import { approvalCreated, approvalExpiring, approvalResolved } from '../../work/approvals/events.ts'
import { runCompleted, runFailed } from '../../work/runs/events.ts'
import { reportDelivered } from '../reports/events.ts'
import { blockedWork, endedRun, nameOfAssigned, verdictOfOthers } from './review-queries.ts'

/**
 * The kinds of events that reviewers follow, each with its events as the log has them. What a reviewer has to look at are
 * questions and blockers; the rest is what goes on beside.
 */
const reviewKinds = {
  questions: [approvalCreated.type, approvalExpiring.type],
  runs: [activityStarted.type, runCompleted.type, runFailed.type],
  verdicts: [approvalResolved.type],
  deliveries: [activityCompleted.type, reportDelivered.type],
  blockers: [activityBlocked.type, agentError.type],
} as const

export type ReviewKind = keyof typeof reviewKinds
export type ReviewerEvent = (typeof reviewKinds)[ReviewKind][number]

/** All of them, in the order in which they are offered. */
export const reviewKindNames = Object.keys(reviewKinds) as ReviewKind[]

/** The events of some kinds. */
function eventsOfKinds(kinds: readonly ReviewKind[] = reviewKindNames): ReviewerEvent[] {
  return kinds.flatMap((kind) => [...reviewKinds[kind]])
}

export interface ReviewerWatcher {
  readonly lastEventId: string | undefined
  send(message: { event: ReviewerEvent | 'resync'; data: never; id?: string }): boolean
  place(id: string): boolean
  onClose(fn: () => void): void
}

/**
 * Streams what happens at all tenants in scope: what reviewers have to look at, and what agents and other people do. Whether
 * the tenant is still theirs is asked before each message, so that nothing is told after an assignment has ended. Resumes
 * after `Last-Event-ID`. Serves `GET /dm/v1/events/stream`.
 * @param kinds only events of these kinds; default: of all
 */
export async function watchReviewed(
  ctx: Ctx,
  watcher: ReviewerWatcher,
  kinds?: readonly ReviewKind[],
): Promise<void> {
  const after =
    watcher.lastEventId && /^\d+$/.test(watcher.lastEventId) ? Number(watcher.lastEventId) : undefined
  // One after the other, so that they are told in their order.
  let told = Promise.resolve()
  const tell = async (event: StoredEvent) => {
    const { seq, type, at, tenantId } = event
    const tenantName = tenantId === null ? undefined : await nameOfAssigned(ctx, tenantId)
    if (tenantId === null || tenantName === undefined) return
    const data = await dataOf(ctx, event, tenantId)
    if (data === undefined) return
    const whole = { ...data, tenantId, tenantName, at }
    watcher.send({ event: type as ReviewerEvent, data: whole as never, id: String(seq) })
  }
  const types = eventsOfKinds(kinds)
  const stop = await ctx.services.events.follow({ tenants: ctx.scope, types }, after, {
    begin: (seq) => watcher.place(String(seq)),
    event: (event) => {
      told = told
        .then(() => tell(event))
        .catch((error: unknown) => ctx.log.error('a reviewer could not be told', { error, seq: event.seq }))
    },
    resync: () => {
      told = told.then(() => void watcher.send({ event: 'resync', data: {} as never }))
    },
  })
  watcher.onClose(stop)
}

/** What is told of an event: what the log has of it, and what it is about. Undefined: the reader is not told of it. */
function dataOf(
  ctx: Ctx,
  { type, data }: StoredEvent,
  tenantId: string,
): Promise<object | undefined> | object {
  switch (type as ReviewerEvent) {
    case 'run_completed':
    case 'run_failed':
      return endedRun(ctx, tenantId, data)
    case 'approval_resolved':
      return verdictOfOthers(ctx, tenantId, data['approvalId'] as string)
    case 'activity_blocked':
      return blockedWork(ctx, tenantId, data)
    default:
      return data
  }
}
