import type { Ctx } from '../../../kernel/context.ts'
import { type EventOf, followEvents } from '../../../kernel/events.ts'
import {
  eventMessage,
  lastSeen,
  type StreamMessage,
  type StreamWatcher,
  withData,
} from '../../../kernel/streams.ts'
import { agentError } from '../../agents/configuration/events.ts'
import { activityBlocked, activityCompleted, activityStarted } from '../../work/activities/events.ts'
import { approvalCreated, approvalExpiring, approvalResolved } from '../../work/approvals/events.ts'
import { runCompleted, runFailed } from '../../work/runs/events.ts'
import { reportDelivered } from '../reports/events.ts'
import { blockedWork, endedRun, nameOfAssigned, verdictOfOthers } from './review-queries.ts'
import type { reviewerStream } from './schemas.ts'

/**
 * The kinds of events that reviewers follow, each with its events as the log has them. What a reviewer has to look at are
 * questions and blockers; the rest is what goes on beside.
 */
const reviewKinds = {
  questions: [approvalCreated, approvalExpiring],
  runs: [activityStarted, runCompleted, runFailed],
  verdicts: [approvalResolved],
  deliveries: [activityCompleted, reportDelivered],
  blockers: [activityBlocked, agentError],
} as const

export type ReviewKind = keyof typeof reviewKinds
type ReviewEvent = EventOf<(typeof reviewKinds)[ReviewKind][number]>

/** All of them, in the order in which they are offered. */
export const reviewKindNames = Object.keys(reviewKinds) as ReviewKind[]

/**
 * Streams what happens at all tenants in scope: what reviewers have to look at, and what agents and other people do. Whether
 * the tenant is still theirs is asked before each message, so that nothing is told after an assignment has ended. Resumes
 * after `Last-Event-ID`. Serves `GET /dm/v1/events/stream`.
 * @param kinds only events of these kinds; default: of all
 */
export async function watchReviewed(
  ctx: Ctx,
  watcher: StreamWatcher<typeof reviewerStream>,
  kinds: readonly ReviewKind[] = reviewKindNames,
): Promise<void> {
  // One after the other, so that they are told in their order.
  let told: Promise<unknown> = Promise.resolve()
  let isOpen = true
  watcher.onClose(() => (isOpen = false))
  const tell = async (event: ReviewEvent) => {
    const { tenantId, at } = event
    const tenantName = tenantId === null || !isOpen ? undefined : await nameOfAssigned(ctx, tenantId)
    if (tenantId === null || tenantName === undefined) return isOpen
    const message = await messageOf(ctx, event, { tenantId, tenantName, at })
    return message ? watcher.send(message) : isOpen
  }
  const definitions = kinds.flatMap((kind) => [...reviewKinds[kind]])
  const stop = await followEvents(
    ctx.services.events,
    definitions,
    { tenants: ctx.scope },
    lastSeen(watcher),
    {
      begin: (seq) => watcher.place(String(seq)),
      event: (event) => {
        told = told
          .then(() => tell(event))
          .catch((error: unknown) => ctx.log.error('a reviewer could not be told', { error, seq: event.seq }))
        return told
      },
      resync: () => {
        told = told.then(() => void watcher.send({ event: 'resync', data: {} }))
      },
    },
  )
  watcher.onClose(stop)
}

interface Happened {
  tenantId: string
  tenantName: string
  at: Date
}

/** What is told of an event: what the log has of it, and what it is about. Undefined: the reader is not told of it. */
async function messageOf(
  ctx: Ctx,
  event: ReviewEvent,
  happened: Happened,
): Promise<StreamMessage<typeof reviewerStream> | undefined> {
  const { tenantId } = happened
  const id = String(event.seq)
  switch (event.type) {
    case 'run_completed':
    case 'run_failed': {
      const run = await endedRun(ctx, tenantId, event.data)
      return run && { event: event.type, data: { ...run, ...happened }, id }
    }
    case 'approval_resolved': {
      const verdict = await verdictOfOthers(ctx, tenantId, event.data.approvalId)
      return verdict && { event: event.type, data: { ...verdict, ...happened }, id }
    }
    case 'activity_blocked':
      return {
        event: event.type,
        data: { ...(await blockedWork(ctx, tenantId, event.data)), ...happened },
        id,
      }
    default:
      return withData(eventMessage(event), happened)
  }
}
