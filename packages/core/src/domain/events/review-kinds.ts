/**
 * The kinds of events that reviewers follow, each with its events as the log has them. What a reviewer has to look at are
 * questions and blockers; the rest is what goes on beside.
 */
export const reviewKinds = {
  questions: ['approval_created', 'approval_expiring'],
  runs: ['activity_started', 'run_completed', 'run_failed'],
  verdicts: ['approval_resolved'],
  deliveries: ['activity_completed', 'report_delivered'],
  blockers: ['activity_blocked', 'agent_error'],
} as const

export type ReviewKind = keyof typeof reviewKinds
export type ReviewerEvent = (typeof reviewKinds)[ReviewKind][number]

/** All of them, in the order in which they are offered. */
export const reviewKindNames = Object.keys(reviewKinds) as ReviewKind[]

/** The events of some kinds. */
export function eventsOfKinds(kinds: readonly ReviewKind[] = reviewKindNames): ReviewerEvent[] {
  return kinds.flatMap((kind) => [...reviewKinds[kind]])
}
